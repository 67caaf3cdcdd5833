// Reads one area, as the user this process is. It may take for ever: a file
// system may not answer.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_

#include <sys/quota.h>

#include <string_view>

#include "absl/time/time.h"
#include "backend/privileged/storage_areas.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// One area, with figures or with a problem in one sentence; the message says
// more of a problem, for the audit line. OUTCOME_NOT_FOUND: there is no such
// path. A program ends at `deadline`, and when `line`, a socket to who asked,
// has hung up.
privileged::v1::Response ReadStorageArea(const AreaToRead& area, int line,
                                         absl::Time deadline);

// An area without figures.
privileged::v1::Response AreaWithProblem(const AreaToRead& area,
                                         std::string_view problem,
                                         std::string_view detail);

// quotactl_fd(2)'s Q_GETQUOTA for a user's or a group's id: 0, or -1 and errno.
using QuotaCall = int (*)(int fd, int type, uint32_t id, struct dqblk* quota);
int AskKernelForQuota(int fd, int type, uint32_t id, struct dqblk* quota);

// The same as ReadStorageArea, with another kernel; for tests.
privileged::v1::Response ReadStorageArea(const AreaToRead& area, int line,
                                         absl::Time deadline, QuotaCall ask);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_AREA_READING_H_
