#include "backend/privileged/impersonator/server/commit.h"

#include <poll.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

absl::Status Aborted(std::string_view cause) {
  return absl::CancelledError(
      absl::StrCat("aborted before the commit: ", std::string(cause)));
}

enum class Ready { kBackend, kChild, kTimeout };

Ready AwaitOne(int fd, int child, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return Ready::kTimeout;
    pollfd ready[2] = {{fd, POLLIN | POLLRDHUP, 0}, {child, POLLIN, 0}};
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    if (poll(ready, 2, static_cast<int>(wait_ms)) <= 0) continue;
    return ready[1].revents != 0 ? Ready::kChild : Ready::kBackend;
  }
}

absl::Status ReadCommit(int fd, const std::string& carme_job_id,
                        absl::Time deadline) {
  const absl::StatusOr<std::string> body = ReadFrame(fd, deadline);
  if (absl::IsDeadlineExceeded(body.status())) {
    return Aborted("the backend sent nothing in time");
  }
  if (!body.ok()) return Aborted("the backend closed the connection");
  if (!IsCommit(*body, carme_job_id)) {
    return Aborted("the backend sent something else");
  }
  // The backend may have reported the submission as failed.
  if (HasHungUp(fd)) return Aborted("the backend closed the connection");
  return absl::OkStatus();
}

}  // namespace

bool IsCommit(std::string_view body, const std::string& carme_job_id) {
  privileged::v1::Commit commit;
  return commit.ParseFromArray(body.data(), static_cast<int>(body.size())) &&
         commit.carme_job_id() == carme_job_id;
}

absl::Status ForwardCommit(int fd, const std::string& carme_job_id,
                           absl::Time deadline, Child* child) {
  switch (AwaitOne(fd, child->fd(), deadline)) {
    case Ready::kTimeout:
      return Aborted("the backend sent nothing in time");
    case Ready::kChild:
      return absl::OkStatus();
    case Ready::kBackend:
      break;
  }
  RETURN_IF_ERROR(ReadCommit(fd, carme_job_id, deadline));
  child->Commit();
  return absl::OkStatus();
}

}  // namespace carme::impersonator
