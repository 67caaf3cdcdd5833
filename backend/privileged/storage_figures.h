// From what the kernel or a program says to an area's figures.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_

#include <sys/quota.h>
#include <sys/statfs.h>

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "backend/privileged/storage_config.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Of statfs(2): as df(1) has them, without what is kept for root.
void FillFromFileSystem(const struct statfs& found,
                        privileged::v1::StorageArea* area);

// Of quotactl(2)'s Q_GETQUOTA.
void FillFromQuota(const struct dqblk& found,
                   privileged::v1::StorageArea* area);

// Of a program's output: INVALID_ARGUMENT when it is not understood.
//
// kPlain: lines `key=number`, the keys being the fields of StorageArea in
// privileged.proto; `used_bytes` must be there.
// kBeegfs: of `beegfs-ctl --getquota --csv`, the first line of `id`:
// name,id,size,hard,files,hard; a limit may be "unlimited".
absl::Status FillFromOutput(std::string_view output,
                            StorageAreaConfig::Format format, uint32_t id,
                            privileged::v1::StorageArea* area);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_FIGURES_H_
