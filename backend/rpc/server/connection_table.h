// Counts the open connections of a listening socket by peer address, and limits
// them.
#ifndef CARME_BACKEND_RPC_SERVER_CONNECTION_TABLE_H_
#define CARME_BACKEND_RPC_SERVER_CONNECTION_TABLE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/rate_limiter.h"
#include "common/net/address.h"

namespace carme::backend {

struct ConnectionLimits {
  int max_connections = 0;
  int max_per_address = 0;
  // New connections of one address: max_per_address at once, then as many a
  // second. 0: not limited.
  int new_per_s = 0;
};

struct ConnectionCounts {
  int open = 0;
  int addresses = 0;
  int64_t refused = 0;  // since the start
  absl::Time refused_at = absl::InfinitePast();
  std::string refused_address{};  // of the newest refusal
};

// The owner of an accepted descriptor (gRPC) does not report when it closes it.
// So the table keeps descriptor and inode of each socket, and an entry ends
// when the descriptor no longer refers to that inode. The table holds no
// reference to the socket. ConcurrencyLimiter does not fit, because it needs an
// owner that releases each slot.
//
// The last quarter of the connections is reserved for addresses that have fewer
// than kFewConnections, so that a few hostile nodes cannot lock out the others.
//
// Thread-safe.
class ConnectionTable {
 public:
  static constexpr int kFewConnections = 8;

  explicit ConnectionTable(const ConnectionLimits& limits);

  // True: the connected socket `fd` is accepted and counted for `address`.
  bool Enter(const std::string& address, int fd, absl::Time now);
  // Removes closed connections. Call every few seconds.
  void Sweep(absl::Time now);
  ConnectionCounts counts() const;

  // The key of a peer: its IP address without port. All of 127.0.0.0/8 is one
  // address, because each local user may bind to any of them.
  static std::string AddressOf(const net::Address& peer);

 private:
  struct Socket {
    int fd;
    ino_t inode;
  };
  struct Peer {
    std::vector<Socket> sockets{};
    int64_t due = 0;  // the state of rate_
  };
  bool IsFull(const Peer& peer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeToken(Peer* peer, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveClosed(Peer* peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SweepAll(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ConnectionLimits limits_;
  const std::optional<RateLimiter> rate_;  // of new connections
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Peer> peers_ ABSL_GUARDED_BY(mutex_);
  int open_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time refused_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string refused_address_ ABSL_GUARDED_BY(mutex_);
  absl::Time swept_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// Lowers `limits` to what the descriptor limit of this process allows, minus
// `reserved`. Logs a warning when it does.
ConnectionLimits FitToDescriptors(ConnectionLimits limits, int reserved);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_CONNECTION_TABLE_H_
