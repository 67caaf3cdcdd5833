#include "backend/identity/log_in_places.h"

#include "absl/strings/str_cat.h"
#include "backend/identity/throttle_address.h"

namespace carme::backend {
namespace {

std::string KeyOf(const Claimant& claimant) {
  if (claimant.account.empty()) {
    return absl::StrCat("address\n", ThrottledAddress(claimant.address));
  }
  return absl::StrCat(claimant.at_habit ? "habit\n" : "password\n",
                      claimant.account);
}

}  // namespace

LogInPlaces::Place::Place(LogInPlaces* places, const Claimant& claimant)
    : places_(*places),
      stranger_(claimant.account.empty()),
      key_(KeyOf(claimant)),
      fits_(places_.Take(key_, stranger_)) {}

LogInPlaces::Place::~Place() {
  if (fits_) places_.Leave(key_, stranger_);
}

bool LogInPlaces::Take(const std::string& key, bool stranger) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_key_.find(key);
  const int of_key = found == by_key_.end() ? 0 : found->second;
  if (taken_ >= kMost || (stranger && strangers_ >= kMostOfStrangers) ||
      of_key >= (stranger ? kMostOfAddress : kMostOfAccount)) {
    return false;
  }
  ++taken_;
  strangers_ += stranger ? 1 : 0;
  ++by_key_[key];
  return true;
}

void LogInPlaces::Leave(const std::string& key, bool stranger) {
  absl::MutexLock lock(&mutex_);
  --taken_;
  strangers_ -= stranger ? 1 : 0;
  const auto found = by_key_.find(key);
  if (--found->second == 0) by_key_.erase(found);
}

}  // namespace carme::backend
