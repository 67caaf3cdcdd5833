#include "proxy/limits/connection_limiter.h"

#include <netinet/in.h>

#include "common/encoding.h"

namespace carme::proxy {

bool ConnectionLimiter::Acquire(const std::string& key) {
  std::lock_guard lock(mutex_);
  if (count_ >= max_total_ || !AcquireKey(key)) return false;
  ++count_;
  return true;
}

bool ConnectionLimiter::Rekey(const std::string& key) {
  std::lock_guard lock(mutex_);
  return AcquireKey(key);
}

bool ConnectionLimiter::AcquireKey(const std::string& key) {
  if (key.empty()) return true;
  int& held = counts_[key];
  if (held >= max_per_key_) return false;
  ++held;
  return true;
}

void ConnectionLimiter::Release(const std::string& key) {
  std::lock_guard lock(mutex_);
  --count_;
  if (key.empty()) return;
  auto found = counts_.find(key);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

int ConnectionLimiter::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

std::string ConnectionLimiter::ClientKey(const net::Address& peer) {
  std::string ip = peer.Ip();
  if (peer.family() != AF_INET6 || ip.find(':') == std::string::npos) return ip;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(peer.get());
  return HexEncode({reinterpret_cast<const char*>(&v6->sin6_addr), 8});
}

}  // namespace carme::proxy
