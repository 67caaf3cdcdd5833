#include "backend/identity/ldap/socket_deadline.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "absl/time/clock.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kGrace = absl::Milliseconds(500);

}  // namespace

void SocketDeadline::Watch(int fd) {
  absl::MutexLock lock(&mutex_);
  socket_.reset(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!thread_.started()) {
    thread_.Start("ldap-deadline", [this] { return CheckDeadline(); });
  }
}

void SocketDeadline::Set(absl::Time deadline) {
  absl::MutexLock lock(&mutex_);
  deadline_ = deadline;
  thread_.Wake();
}

absl::Duration SocketDeadline::CheckDeadline() {
  absl::MutexLock lock(&mutex_);
  const absl::Duration left = deadline_ - absl::Now();
  if (left > absl::ZeroDuration()) return left;
  shutdown(socket_.get(), SHUT_RDWR);
  deadline_ = absl::InfiniteFuture();
  return absl::InfiniteDuration();
}

DeadlineScope::DeadlineScope(SocketDeadline& deadline, absl::Duration timeout)
    : deadline_(deadline) {
  deadline_.Set(absl::Now() + timeout + kGrace);
}

}  // namespace carme::backend
