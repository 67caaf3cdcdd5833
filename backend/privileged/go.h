// The second word of a submission: the backend's record is durable.
#ifndef CARME_BACKEND_PRIVILEGED_GO_H_
#define CARME_BACKEND_PRIVILEGED_GO_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/privileged/child.h"

namespace carme::impersonator {

// `body`, of a frame, is a Go for this job.
bool IsGo(std::string_view body, const std::string& carme_job_id);

// Waits for the backend's Go on `fd` and passes it on to `child`, which has
// become the user meanwhile and must not know `fd`. OK also when the child came
// first: it has refused or died, and hears no go any more.
// CANCELLED: the backend hung up, said something else, or said nothing until
// `deadline`. Nothing will be submitted then.
absl::Status PassOnGo(int fd, const std::string& carme_job_id,
                      absl::Time deadline, Child* child);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_GO_H_
