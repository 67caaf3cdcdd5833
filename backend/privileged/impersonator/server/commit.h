// The second message of a submission: the backend's record is durable.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_COMMIT_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_COMMIT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/privileged/privsep/child.h"

namespace carme::impersonator {

// Whether `body`, of a frame, is a Commit for this job.
bool IsCommit(std::string_view body, const std::string& carme_job_id);

// Waits for the backend's Commit on `fd` and forwards it to `child`, which has
// become the user meanwhile and must not have `fd`. OK also if the child
// responds or dies first: then there is nothing left to commit.
// CANCELLED: the backend closed the connection, sent something else, or sent
// nothing until `deadline`. Nothing will be submitted then.
absl::Status ForwardCommit(int fd, const std::string& carme_job_id,
                           absl::Time deadline, Child* child);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_SERVER_COMMIT_H_
