// Reads one area as the user that this process runs as. May block forever: a
// file system may not respond.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_

#include <sys/quota.h>

#include <string_view>

#include "absl/time/time.h"
#include "backend/privileged/storage/areas.h"
#include "carme/privileged/v1/storage.pb.h"

namespace carme::storage_reader {

// One area, with figures or with a problem in one sentence for users; the
// message has details of the problem for the audit line. OUTCOME_NOT_FOUND: the
// path does not exist. A program is killed at `deadline`, and when the peer of
// `parent_fd`, a socket, has closed it.
privileged::v1::StorageResponse ReadStorageArea(const AreaToRead& area,
                                                int parent_fd,
                                                absl::Time deadline);

// An area without figures.
privileged::v1::StorageResponse AreaWithProblem(const AreaToRead& area,
                                                std::string_view problem,
                                                std::string_view detail);

// quotactl_fd(2) with Q_GETQUOTA for a uid or gid: 0, or -1 and errno.
using QuotaCall = int (*)(int fd, int type, uint32_t id, struct dqblk* quota);
int AskKernelForQuota(int fd, int type, uint32_t id, struct dqblk* quota);

// ReadStorageArea() with another kernel; for tests.
privileged::v1::StorageResponse ReadStorageArea(const AreaToRead& area,
                                                int parent_fd,
                                                absl::Time deadline,
                                                QuotaCall ask);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_
