#include "backend/rpc/server/connection_table.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>

#include "absl/strings/match.h"
#include "common/log.h"

namespace carme::backend {
namespace {

// The minimum interval between sweeps that a refusal triggers.
constexpr absl::Duration kBetweenSweeps = absl::Milliseconds(200);

// 0: closed, or not a socket.
ino_t InodeOf(int fd) {
  struct stat facts {};
  if (fstat(fd, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return 0;
  return facts.st_ino;
}

std::optional<RateLimiter> RateOf(const ConnectionLimits& limits) {
  if (limits.new_per_s == 0) return std::nullopt;
  return RateLimiter(absl::Seconds(1) / limits.new_per_s,
                     limits.max_per_address);
}

}  // namespace

ConnectionTable::ConnectionTable(const ConnectionLimits& limits)
    : limits_(limits), rate_(RateOf(limits)) {}

bool ConnectionTable::Enter(const std::string& address, int fd,
                            absl::Time now) {
  absl::MutexLock lock(&mutex_);
  // Before the lookup of the address, because it erases rows.
  if (open_ * 2 >= limits_.max_connections &&
      now - swept_at_ >= kBetweenSweeps) {
    SweepAll(now);
  }
  Peer& peer = peers_[address];
  if (IsFull(peer)) RemoveClosed(&peer);
  const ino_t inode = InodeOf(fd);
  if (inode == 0 || IsFull(peer) || !TakeToken(&peer, now)) {
    ++refused_;
    refused_at_ = now;
    refused_address_ = address;
    return false;
  }
  peer.sockets.push_back({fd, inode});
  ++open_;
  return true;
}

bool ConnectionTable::IsFull(const Peer& peer) const {
  const int free = limits_.max_connections - open_;
  const int held = static_cast<int>(peer.sockets.size());
  if (free <= 0 || held >= limits_.max_per_address) return true;
  return free <= limits_.max_connections / 4 && held >= kFewConnections;
}

bool ConnectionTable::TakeToken(Peer* peer, absl::Time now) {
  if (!rate_) return true;
  const int64_t now_ns = absl::ToUnixNanos(now);
  rate_->ResetAfterClockChange(&peer->due, now_ns);
  return rate_->Allow(&peer->due, now_ns);
}

void ConnectionTable::RemoveClosed(Peer* peer) {
  open_ -=
      static_cast<int>(std::erase_if(peer->sockets, [](const Socket& socket) {
        return InodeOf(socket.fd) != socket.inode;
      }));
}

void ConnectionTable::SweepAll(absl::Time now) {
  swept_at_ = now;
  for (auto& [address, peer] : peers_) RemoveClosed(&peer);
  const int64_t now_ns = absl::ToUnixNanos(now);
  absl::erase_if(peers_, [now_ns](const auto& row) {
    return row.second.sockets.empty() && row.second.due <= now_ns;
  });
}

void ConnectionTable::Sweep(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  SweepAll(now);
}

ConnectionCounts ConnectionTable::counts() const {
  absl::MutexLock lock(&mutex_);
  ConnectionCounts counts{.open = open_,
                          .refused = refused_,
                          .refused_at = refused_at_,
                          .refused_address = refused_address_};
  for (const auto& [address, peer] : peers_) {
    if (!peer.sockets.empty()) ++counts.addresses;
  }
  return counts;
}

std::string ConnectionTable::AddressOf(const net::Address& peer) {
  std::string ip = peer.Ip();
  return absl::StartsWith(ip, "127.") ? "127.0.0.0/8" : ip;
}

ConnectionLimits FitToDescriptors(ConnectionLimits limits, int reserved) {
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return limits;
  const int max =
      static_cast<int>(std::min<rlim_t>(descriptors.rlim_cur, INT_MAX));
  // If the limit is below the reserve, connections get half of it.
  const int fit = std::max(max - reserved, max / 2);
  if (fit >= limits.max_connections) return limits;
  LogWarning("fewer connections than configured: raise LimitNOFILE",
             {{"configured", limits.max_connections},
              {"accepted", fit},
              {"descriptors", max}});
  limits.max_connections = fit;
  return limits;
}

}  // namespace carme::backend
