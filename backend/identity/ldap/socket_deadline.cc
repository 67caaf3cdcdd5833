#include "backend/identity/ldap/socket_deadline.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "absl/time/clock.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kGrace = absl::Milliseconds(500);

}  // namespace

SocketDeadline::~SocketDeadline() {
  {
    absl::MutexLock lock(&mutex_);
    over_ = true;
    changed_.Signal();
  }
  if (thread_.joinable()) thread_.join();
}

void SocketDeadline::Watch(int fd) {
  absl::MutexLock lock(&mutex_);
  socket_.reset(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void SocketDeadline::Set(absl::Time deadline) {
  absl::MutexLock lock(&mutex_);
  deadline_ = deadline;
  changed_.Signal();
}

void SocketDeadline::Run() {
  absl::MutexLock lock(&mutex_);
  while (!over_) {
    changed_.WaitWithDeadline(&mutex_, deadline_);
    if (absl::Now() < deadline_ || !socket_.valid()) continue;
    shutdown(socket_.get(), SHUT_RDWR);
    deadline_ = absl::InfiniteFuture();
  }
}

DeadlineScope::DeadlineScope(SocketDeadline& deadline, absl::Duration timeout)
    : deadline_(deadline) {
  deadline_.Set(absl::Now() + timeout + kGrace);
}

}  // namespace carme::backend
