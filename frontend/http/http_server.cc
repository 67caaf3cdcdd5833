#include "frontend/http/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::frontend {
namespace {

constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    "Retry-After: 2\r\nConnection: close\r\nCache-Control: no-store\r\n"
    "Content-Length: 78\r\n\r\n"
    "{\"code\":\"unavailable\",\"message\":\"too many connections; try again "
    "in a moment\"}";
constexpr size_t kBusyBody = 78;
static_assert(kBusy.size() - kBusy.find("\r\n\r\n") - 4 == kBusyBody);

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    UniqueFd listening, const ServerOptions& options, HttpHandlers handlers) {
  UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) return ErrnoError(errno, "eventfd");
  std::unique_ptr<HttpServer> server = absl::WrapUnique(new HttpServer(
      std::move(listening), std::move(stop), options, std::move(handlers)));
  server->accepting_ =
      std::thread([raw = server.get()] { raw->AcceptUntilStopped(); });
  return server;
}

HttpServer::HttpServer(UniqueFd listening, UniqueFd stop,
                       const ServerOptions& options, HttpHandlers handlers)
    : listening_(std::move(listening)),
      stop_(std::move(stop)),
      options_(options),
      handlers_(std::move(handlers)),
      threads_(options.max_connections) {}

void HttpServer::AcceptUntilStopped() {
  std::array<pollfd, 2> polled = {
      {{.fd = listening_.get(), .events = POLLIN, .revents = 0},
       {.fd = stop_.get(), .events = POLLIN, .revents = 0}}};
  while (true) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) break;
    if (polled[1].revents != 0) break;
    UniqueFd socket(accept4(listening_.get(), nullptr, nullptr,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      Serve(std::move(socket));
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
               errno == ENOBUFS) {
      LogError("cannot accept a connection",
               {{"error", ErrnoError(errno, "accept").message().data()}});
      absl::SleepFor(absl::Milliseconds(100));
    }
  }
}

void HttpServer::Serve(UniqueFd socket) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto shared = std::make_shared<UniqueFd>(std::move(socket));
  const bool started = threads_.Start([this, shared] {
    ServeHttpConnection(std::move(*shared), stop_.get(), options_.connection,
                        handlers_);
  });
  if (started) return;
  LogWarning("too many connections", {{"limit", options_.max_connections}});
  [[maybe_unused]] const ssize_t put =
      send(shared->get(), kBusy.data(), kBusy.size(), MSG_NOSIGNAL);
}

void HttpServer::Stop() {
  if (!accepting_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  accepting_.join();
  listening_.reset();
  threads_.Join();
}

}  // namespace carme::frontend
