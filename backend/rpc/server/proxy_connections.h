// Tracks the proxies that watch the routes, and since when.
#ifndef CARME_BACKEND_RPC_SERVER_PROXY_CONNECTIONS_H_
#define CARME_BACKEND_RPC_SERVER_PROXY_CONNECTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe.
class ProxyConnections {
 public:
  // A proxy that did not reconnect for this long is assumed to be
  // decommissioned.
  static constexpr absl::Duration kForgottenAfter = absl::Hours(24);

  explicit ProxyConnections(const Clock* clock) : clock_(*clock) {}

  // Call when a stream of the proxy at this address begins and ends.
  void Add(const std::string& address) {
    absl::MutexLock lock(&mutex_);
    Row& row = rows_[address];
    if (row.streams++ == 0) row.since = clock_.Now();
  }
  void Remove(const std::string& address) {
    absl::MutexLock lock(&mutex_);
    Row& row = rows_[address];
    if (--row.streams == 0) row.since = clock_.Now();
  }

  struct Proxy {
    std::string address;
    bool connected = false;
    absl::Time since;
  };
  std::vector<Proxy> list() {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_.Now();
    std::erase_if(rows_, [&](const auto& row) {
      return row.second.streams == 0 &&
             now - row.second.since > kForgottenAfter;
    });
    std::vector<Proxy> proxies;
    for (const auto& [address, row] : rows_) {
      proxies.push_back({address, row.streams > 0, row.since});
    }
    return proxies;
  }

 private:
  struct Row {
    int streams = 0;
    absl::Time since{};
  };
  const Clock& clock_;
  absl::Mutex mutex_;
  std::map<std::string, Row> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_PROXY_CONNECTIONS_H_
