// How many connections there may be, in all and from one place.
#ifndef CARME_PROXY_ADMISSION_H_
#define CARME_PROXY_ADMISSION_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "common/net/address.h"

namespace carme::proxy {

// Thread-safe: the loops share one.
class Admission {
 public:
  Admission(int most, int most_per_place)
      : most_(most), most_per_place_(most_per_place) {}

  // True: admitted, and Leave must follow with the same place. An empty place
  // counts in all only.
  bool Enter(const std::string& place);
  // From "" to where somebody turned out to come from. False: that place is
  // full, and he is still at "".
  bool Settle(const std::string& place);
  void Leave(const std::string& place);
  int count() const;

  // An IPv4 address, or the /64 of an IPv6 one: a single customer has that
  // many addresses.
  static std::string PlaceOf(const net::Address& peer);

 private:
  bool TakePlace(const std::string& place);  // REQUIRES: mutex_ is held

  const int most_;
  const int most_per_place_;
  mutable std::mutex mutex_;
  int count_ = 0;                                 // guarded by mutex_
  absl::flat_hash_map<std::string, int> places_;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ADMISSION_H_
