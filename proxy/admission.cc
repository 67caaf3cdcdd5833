#include "proxy/admission.h"

#include <netinet/in.h>

#include "common/encoding.h"

namespace carme::proxy {

bool Admission::Enter(const std::string& place) {
  std::lock_guard lock(mutex_);
  if (count_ >= most_ || !TakePlace(place)) return false;
  ++count_;
  return true;
}

bool Admission::Settle(const std::string& place) {
  std::lock_guard lock(mutex_);
  return TakePlace(place);
}

bool Admission::TakePlace(const std::string& place) {
  if (place.empty()) return true;
  int& here = places_[place];
  if (here >= most_per_place_) return false;
  ++here;
  return true;
}

void Admission::Leave(const std::string& place) {
  std::lock_guard lock(mutex_);
  --count_;
  if (place.empty()) return;
  auto found = places_.find(place);
  if (found != places_.end() && --found->second == 0) places_.erase(found);
}

int Admission::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

std::string Admission::PlaceOf(const net::Address& peer) {
  std::string ip = peer.Ip();
  if (peer.family() != AF_INET6 || ip.find(':') == std::string::npos) return ip;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(peer.get());
  return HexEncode({reinterpret_cast<const char*>(&v6->sin6_addr), 8});
}

}  // namespace carme::proxy
