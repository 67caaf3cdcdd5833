// Limits connections in total and per key, such as a client's address.
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

  // True: acquired; call Release() with the same key. An empty key counts only
  // for the total.
  bool Acquire(const std::string& key);
  // Moves a connection from the key "" to `key`. False: the limit of `key` is
  // reached, and the connection stays at "".
  bool Rekey(const std::string& key);
  void Release(const std::string& key);
  int count() const;

  // The key of a client: its IPv4 address, or the /64 of its IPv6 address,
  // because a single customer has that many addresses.
  static std::string ClientKey(const net::Address& peer);

 private:
  bool AcquireKey(const std::string& key);  // requires mutex_

  const int max_total_;
  const int max_per_key_;
  mutable std::mutex mutex_;
  int count_ = 0;                                 // guarded by mutex_
  absl::flat_hash_map<std::string, int> counts_;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_CONNECTION_LIMITER_H_
