#include "backend/identity/login/login_concurrency.h"

#include "absl/strings/str_cat.h"
#include "backend/identity/login/throttle_address.h"

namespace carme::backend {
namespace {

std::string KeyOf(const LoginAttempt& attempt) {
  if (attempt.account.empty()) {
    return absl::StrCat("address\n", ThrottledAddress(attempt.address));
  }
  return absl::StrCat(attempt.known_address ? "known\n" : "password\n",
                      attempt.account);
}

}  // namespace

LoginConcurrency::Slot::Slot(LoginConcurrency* limiter,
                             const LoginAttempt& attempt)
    : limiter_(*limiter),
      unauthenticated_(attempt.account.empty()),
      key_(KeyOf(attempt)),
      acquired_(limiter_.Acquire(key_, unauthenticated_)) {}

LoginConcurrency::Slot::~Slot() {
  if (acquired_) limiter_.Release(key_, unauthenticated_);
}

bool LoginConcurrency::Acquire(const std::string& key, bool unauthenticated) {
  absl::MutexLock lock(&mutex_);
  const auto found = by_key_.find(key);
  const int of_key = found == by_key_.end() ? 0 : found->second;
  if (in_use_ >= kMaxSlots ||
      (unauthenticated && unauthenticated_ >= kMaxUnauthenticated) ||
      of_key >= (unauthenticated ? kMaxPerAddress : kMaxPerAccount)) {
    return false;
  }
  ++in_use_;
  unauthenticated_ += unauthenticated ? 1 : 0;
  ++by_key_[key];
  return true;
}

void LoginConcurrency::Release(const std::string& key, bool unauthenticated) {
  absl::MutexLock lock(&mutex_);
  --in_use_;
  unauthenticated_ -= unauthenticated ? 1 : 0;
  const auto found = by_key_.find(key);
  if (--found->second == 0) by_key_.erase(found);
}

}  // namespace carme::backend
