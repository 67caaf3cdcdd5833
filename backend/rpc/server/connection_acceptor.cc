#include "backend/rpc/server/connection_acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/net/address.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kBacklog = 1024;
constexpr absl::Duration kSweepEvery = absl::Seconds(5);
// Clients must not be able to fill the log.
constexpr absl::Duration kLogEvery = absl::Seconds(10);
// The pause when the process is out of descriptors.
constexpr absl::Duration kPause = absl::Milliseconds(100);
// How many connections are accepted before stop and sweep are checked again.
constexpr int kBatch = 256;

// Resets the connection, so that no TIME_WAIT remains on this side.
void Reset(UniqueFd connection) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConnectionAcceptor>> ConnectionAcceptor::Listen(
    std::string name, const std::string& address,
    const ConnectionLimits& limits) {
  ASSIGN_OR_RETURN(UniqueFd listener, ListenTcp(address, kBacklog));
  ASSIGN_OR_RETURN(const int port, PortOf(listener.get()));
  UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) return ErrnoError(errno, "eventfd");
  return std::unique_ptr<ConnectionAcceptor>(new ConnectionAcceptor(
      std::move(name), std::move(listener), std::move(stop), port, limits));
}

ConnectionAcceptor::ConnectionAcceptor(std::string name, UniqueFd listener,
                                       UniqueFd stop, int port,
                                       const ConnectionLimits& limits)
    : name_(std::move(name)),
      listener_(std::move(listener)),
      stop_(std::move(stop)),
      port_(port),
      table_(limits) {}

ConnectionAcceptor::~ConnectionAcceptor() { Stop(); }

void ConnectionAcceptor::Start(HandOver hand_over) {
  hand_over_ = std::move(hand_over);
  thread_ = std::thread([this] { Run(); });
}

void ConnectionAcceptor::Stop() {
  eventfd_write(stop_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

void ConnectionAcceptor::Run() {
  absl::Time next_sweep = absl::Now() + kSweepEvery;
  while (true) {
    const absl::Time now = absl::Now();
    if (now >= next_sweep) {
      table_.Sweep(now);
      next_sweep = now + kSweepEvery;
    }
    const bool pausing = now < pause_until_;
    std::array<pollfd, 2> waits = {
        {{.fd = stop_.get(), .events = POLLIN, .revents = 0},
         {.fd = pausing ? -1 : listener_.get(),
          .events = POLLIN,
          .revents = 0}}};
    const absl::Duration wait =
        (pausing ? std::min(pause_until_, next_sweep) : next_sweep) - now;
    poll(waits.data(), waits.size(),
         static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
    if (waits[0].revents != 0) return;
    if (waits[1].revents == 0) continue;
    for (int i = 0; i < kBatch && AcceptOne(); ++i) {
    }
  }
}

bool ConnectionAcceptor::AcceptOne() {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  UniqueFd connection(accept4(listener_.get(),
                              reinterpret_cast<sockaddr*>(&storage), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
  const absl::Time now = absl::Now();
  if (!connection.valid()) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
      pause_until_ = now + kPause;
      LogRefusal("", now);
      return false;
    }
    // The connection failed while it waited.
    return errno != EAGAIN && errno != EWOULDBLOCK;
  }
  const std::string address = ConnectionTable::AddressOf(
      net::Address::FromSockaddr(reinterpret_cast<sockaddr*>(&storage), size));
  if (!table_.Enter(address, connection.get(), now)) {
    Reset(std::move(connection));
    LogRefusal(address, now);
    return true;
  }
  const int on = 1;
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  hand_over_(listener_.get(), std::move(connection));
  return true;
}

void ConnectionAcceptor::LogRefusal(const std::string& address,
                                    absl::Time now) {
  if (now - refusal_logged_at_ < kLogEvery) {
    ++refusals_unlogged_;
    return;
  }
  const ConnectionCounts counts = table_.counts();
  LogWarning(address.empty() ? "connection not accepted: out of file "
                               "descriptors"
                             : "connection refused: limit reached",
             {{"port", name_},
              {"address", address},
              {"open", counts.open},
              {"before_unlogged", refusals_unlogged_}});
  refusal_logged_at_ = now;
  refusals_unlogged_ = 0;
}

}  // namespace carme::backend
