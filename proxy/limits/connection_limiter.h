// How many connections there may be, in all and from one place.
#ifndef CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_
#define CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "common/net/address.h"

namespace carme::proxy {

// Thread-safe: the loops share one.
class ConnectionLimiter {
 public:
  ConnectionLimiter(int max_total, int max_per_key)
      : max_total_(max_total), max_per_key_(max_per_key) {}

  // True: admitted, and Release must follow with the same place. An empty place
  // counts in all only.
  bool Acquire(const std::string& key);
  // From "" to where somebody turned out to come from. False: that place is
  // full, and he is still at "".
  bool Rekey(const std::string& key);
  void Release(const std::string& key);
  int count() const;

  // An IPv4 address, or the /64 of an IPv6 one: a single customer has that
  // many addresses.
  static std::string ClientKey(const net::Address& peer);

 private:
  bool AcquireKey(const std::string& key);  // REQUIRES: mutex_ is held

  const int max_total_;
  const int max_per_key_;
  mutable std::mutex mutex_;
  int count_ = 0;                                 // guarded by mutex_
  absl::flat_hash_map<std::string, int> counts_;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_
