// Converts what the kernel or a program reports to the figures of an area.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_

#include <sys/quota.h>
#include <sys/statfs.h>

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "backend/privileged/storage/config.h"
#include "carme/privileged/v1/storage.pb.h"

namespace carme::storage_reader {

// From statfs(2): as df(1) reports them, without the blocks reserved for root.
void FillFromFileSystem(const struct statfs& found,
                        privileged::v1::StorageArea* area);

// From quotactl(2) with Q_GETQUOTA.
void FillFromQuota(const struct dqblk& found,
                   privileged::v1::StorageArea* area);

// From a program's output. INVALID_ARGUMENT: invalid output.
//
// kPlain: lines `key=number`, where the keys are fields of StorageArea in
// storage.proto; `used_bytes` is required.
// kBeegfs: the first line of `id` in the output of `beegfs-ctl --getquota
// --csv`: name,id,size,hard,files,hard; a limit may be "unlimited".
absl::Status FillFromOutput(std::string_view output,
                            StorageAreaConfig::Format format, uint32_t id,
                            privileged::v1::StorageArea* area);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_
