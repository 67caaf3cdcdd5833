#include "common/net/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <string>
#include <utility>

#include "common/status.h"

namespace carme::net {
namespace {

class SocketStream : public Stream {
 public:
  SocketStream(EventLoop& loop, UniqueFd fd) : Stream(loop, std::move(fd)) {}
  using Stream::Register;

 private:
  int64_t Receive(char* data, size_t size) override {
    return ReceiveRaw(data, size);
  }
  int Encode(std::string_view data) override {
    loop().wire().append(data);
    return 0;
  }
  int EncodeEnd() override { return 0; }
};

// Waits for connect() to end.
class Connector : private EventSource, private Timer {
 public:
  Connector(EventLoop& loop, int fd, absl::Duration timeout)
      : Timer(loop.timers()), loop_(loop), fd_(fd) {
    ArmTimer(absl::ToInt64Milliseconds(timeout));
  }
  ~Connector() override { loop_.Remove(fd_, this); }
  absl::Status Watch() { return loop_.Add(fd_, EPOLLOUT | EPOLLET, this); }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  int await_resume() const { return error_; }

 private:
  void OnEvents(uint32_t) override {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
    End(error);
  }
  void OnStop() override { End(ECANCELED); }
  void OnDeadline() override { End(ETIMEDOUT); }
  void End(int error) {
    if (!waiter_) return;
    error_ = error;
    loop_.Schedule(std::exchange(waiter_, {}));
  }

  EventLoop& loop_;
  int fd_;
  std::coroutine_handle<> waiter_;
  int error_ = 0;
};

void SendAtOnce(int fd, int family) {
  if (family == AF_UNIX) return;
  int one = 1;
  // Only slower without it.
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Stream>> NewSocketStream(EventLoop& loop,
                                                        UniqueFd fd) {
  int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return ErrnoError(errno, "fcntl");
  }
  auto stream = std::make_unique<SocketStream>(loop, std::move(fd));
  RETURN_IF_ERROR(stream->Register());
  return stream;
}

Task<absl::StatusOr<UniqueFd>> Connect(EventLoop& loop, Address address,
                                       absl::Duration timeout) {
  const std::string what = "connect to \"" + address.ToString() + "\"";
  UniqueFd fd(
      socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) co_return ErrnoError(errno, "socket");
  SendAtOnce(fd.get(), address.family());
  if (connect(fd.get(), address.get(), address.size()) == 0) {
    co_return std::move(fd);
  }
  // EAGAIN: the backlog of a unix socket is full; it never becomes ready.
  if (errno != EINPROGRESS) co_return ErrnoError(errno, what);
  int error = 0;
  {
    Connector connector(loop, fd.get(), timeout);
    absl::Status watched = connector.Watch();
    if (!watched.ok()) co_return watched;
    error = co_await connector;
  }
  if (error != 0) co_return ErrnoError(error, what);
  co_return std::move(fd);
}

namespace {

// With a blocking descriptor, as a service manager may pass it, accept() would
// block the loop if another loop has accepted the connection.
absl::Status SetNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || ((flags & O_NONBLOCK) == 0 &&
                    fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)) {
    return ErrnoError(errno, "fcntl");
  }
  return absl::OkStatus();
}

}  // namespace

Listener::Listener(EventLoop& loop, int fd, OnConnection accept)
    : Timer(loop.timers()), loop_(loop), fd_(fd), accept_(std::move(accept)) {}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Create(
    EventLoop& loop, int fd, OnConnection accept) {
  RETURN_IF_ERROR(SetNonBlocking(fd));
  // A process that passes the socket to another one, such as podman, may make
  // it blocking for this one, too. accept() must not wait even then: its thread
  // could miss the event of the next connection. Accepted connections inherit
  // the limit, which does not apply to them: they are non-blocking.
  const timeval wait{.tv_sec = 0, .tv_usec = 1000};
  if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0) {
    return ErrnoError(errno, "setsockopt SO_RCVTIMEO");
  }
  // Accepted connections inherit the option. It fails for a unix socket.
  SendAtOnce(fd, AF_INET);
  std::unique_ptr<Listener> listener(new Listener(loop, fd, std::move(accept)));
  RETURN_IF_ERROR(listener->Watch());
  return listener;
}

Listener::~Listener() { loop_.Remove(fd_, this); }

absl::Status Listener::Watch() {
  return loop_.Add(fd_, EPOLLIN | EPOLLEXCLUSIVE, this);
}

void Listener::OnEvents(uint32_t) {
  // Undoes what another process did to the shared socket.
  SetNonBlocking(fd_).IgnoreError();
  // A few at a time, so that other loops accept a part of a burst.
  for (int i = 0; i < 8; ++i) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto* peer = reinterpret_cast<sockaddr*>(&storage);
    UniqueFd fd(accept4(fd_, peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.valid()) {
      accept_(std::move(fd), Address::FromSockaddr(peer, size));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
      // Level-triggered: without a pause the loop would spin.
      loop_.Remove(fd_, this);
      ArmTimer(100);
      return;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    // The peer has already closed the connection: accept the next one.
  }
}

void Listener::OnDeadline() {
  if (!Watch().ok()) ArmTimer(1000);
}

}  // namespace carme::net
