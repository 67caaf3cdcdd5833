#include "slurm-hooks/files/file_server.h"

#include <sys/socket.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <memory>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/config/program.h"
#include "slurm-hooks/files/exchange.h"
#include "slurm-hooks/files/file_api.h"
#include "slurm-hooks/files/socket_stream.h"

namespace carme::files {
namespace {

constexpr size_t kMaxConnections = 64;
constexpr size_t kMaxBufferedBytes = 64 * 1024;
constexpr absl::Duration kShutdownTimeout = absl::Seconds(2);
constexpr absl::Duration kPause = absl::Milliseconds(50);

void ServeConnection(int fd, FileApi* api) {
  SocketStream stream(fd);
  boost::beast::flat_buffer buffer(kMaxBufferedBytes);
  for (bool goes_on = true; goes_on;) {
    Exchange exchange(&stream, &buffer);
    if (!exchange.ReadHead()) return;
    api->Handle(&exchange);
    goes_on = exchange.keep_alive();
  }
}

// Thread-safe. Shared with the threads of connections, which may outlive
// RunFileServer().
class Connections : public std::enable_shared_from_this<Connections> {
 public:
  Connections(std::vector<FilePlace> places, mode_t umask)
      : api_(std::move(places), umask) {}

  void Serve(UniqueFd fd) {
    {
      const absl::MutexLock lock(&mutex_);
      if (stopping_ || open_.size() == kMaxConnections) return;
      open_.insert(fd.get());
    }
    const int number = fd.get();
    try {
      std::thread([self = shared_from_this(), fd = std::move(fd)]() mutable {
        ServeConnection(fd.get(), &self->api_);
        const absl::MutexLock lock(&self->mutex_);
        self->open_.erase(fd.get());
        fd.reset();  // under the lock: the number may be used again at once
      }).detach();
    } catch (const std::system_error&) {
      // The user's limit of processes is reached. The connection is closed.
      const absl::MutexLock lock(&mutex_);
      open_.erase(number);
    }
  }

  // Closes all connections; false: some threads still run after the timeout.
  bool Stop() {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
    const auto none = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      return open_.empty();
    };
    return mutex_.AwaitWithTimeout(absl::Condition(&none), kShutdownTimeout);
  }

 private:
  FileApi api_;
  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::unordered_set<int> open_ ABSL_GUARDED_BY(mutex_);
};

void AcceptAll(int socket, Connections* connections) {
  for (;;) {
    UniqueFd fd(
        accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.valid()) {
      connections->Serve(std::move(fd));
    } else if (errno == EINVAL) {
      return;  // shutdown() of the listening socket
    } else if (errno != EINTR && errno != ECONNABORTED) {
      absl::SleepFor(kPause);  // no descriptors are left: some may be closed
    }
  }
}

}  // namespace

bool RunFileServer(UniqueFd socket, std::vector<FilePlace> places,
                   mode_t umask) {
  const auto connections =
      std::make_shared<Connections>(std::move(places), umask);
  std::thread acceptor([&] { AcceptAll(socket.get(), connections.get()); });
  WaitForStopSignal();
  shutdown(socket.get(), SHUT_RDWR);
  acceptor.join();
  return connections->Stop();
}

}  // namespace carme::files
