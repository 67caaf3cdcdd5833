#include "backend/privileged/go.h"

#include <poll.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/frame_io.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

absl::Status Withdrawn(std::string_view why) {
  return absl::CancelledError(
      absl::StrCat("withdrawn: ", std::string(why), " before it said go"));
}

enum class First { kBackend, kChild, kNobody };

First AwaitOne(int fd, int child, absl::Time deadline) {
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return First::kNobody;
    pollfd ready[2] = {{fd, POLLIN | POLLRDHUP, 0}, {child, POLLIN, 0}};
    const int64_t wait_ms = absl::ToInt64Milliseconds(left) + 1;
    if (poll(ready, 2, static_cast<int>(wait_ms)) <= 0) continue;
    return ready[1].revents != 0 ? First::kChild : First::kBackend;
  }
}

absl::Status ReadGo(int fd, const std::string& carme_job_id,
                    absl::Time deadline) {
  const absl::StatusOr<std::string> body = ReadFrame(fd, deadline);
  if (absl::IsDeadlineExceeded(body.status())) {
    return Withdrawn("the backend was too slow");
  }
  if (!body.ok()) return Withdrawn("the backend hung up");
  if (!IsGo(*body, carme_job_id)) {
    return Withdrawn("the backend said something else");
  }
  // It may have told its user that there is no job.
  if (HasHungUp(fd)) return Withdrawn("the backend hung up");
  return absl::OkStatus();
}

}  // namespace

bool IsGo(std::string_view body, const std::string& carme_job_id) {
  privileged::v1::Go go;
  return go.ParseFromArray(body.data(), static_cast<int>(body.size())) &&
         go.carme_job_id() == carme_job_id;
}

absl::Status PassOnGo(int fd, const std::string& carme_job_id,
                      absl::Time deadline, Child* child) {
  switch (AwaitOne(fd, child->fd(), deadline)) {
    case First::kNobody:
      return Withdrawn("the backend was too slow");
    case First::kChild:
      return absl::OkStatus();
    case First::kBackend:
      break;
  }
  RETURN_IF_ERROR(ReadGo(fd, carme_job_id, deadline));
  child->Go();
  return absl::OkStatus();
}

}  // namespace carme::impersonator
