// Limits how many operations run at the same time: in total and per key, such
// as a user or an address.
//
//   ConcurrencyLimiter<Uid> limiter(/*max_total=*/8, /*max_per_key=*/2);
//   const auto slot = limiter.TryAcquire(uid);
//   if (!slot.acquired()) return absl::ResourceExhaustedError("…");
//   … the operation; the slot is released at the end of its scope …
#ifndef CARME_COMMON_CONCURRENCY_CONCURRENCY_LIMITER_H_
#define CARME_COMMON_CONCURRENCY_CONCURRENCY_LIMITER_H_

#include <limits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace carme {

enum class LimitReached { kNone, kTotal, kKey };

// Thread-safe; no function blocks. Must outlive its slots. Memory is bounded by
// the number of slots: a key without slots is not stored.
template <typename Key>
class ConcurrencyLimiter {
 public:
  static constexpr int kUnlimited = std::numeric_limits<int>::max();

  // Move-only; released by the destructor. One slot is used by one thread.
  class Slot {
   public:
    Slot() = default;  // none
    Slot(Slot&& other) noexcept { *this = std::move(other); }
    Slot& operator=(Slot&& other) noexcept {
      if (this == &other) return *this;
      Release();
      limiter_ = std::exchange(other.limiter_, nullptr);
      limit_reached_ = other.limit_reached_;
      has_key_ = std::exchange(other.has_key_, false);
      key_ = std::move(other.key_);
      return *this;
    }
    ~Slot() { Release(); }

    bool acquired() const { return limiter_ != nullptr; }
    // Why TryAcquire() returned no slot.
    LimitReached limit_reached() const { return limit_reached_; }
    // The key that the slot counts for; Key() without one.
    bool has_key() const { return has_key_; }
    const Key& key() const { return key_; }
    // Counts a slot that has no key for `key`, too. False: the limit of the key
    // is reached; the slot stays acquired, without a key.
    [[nodiscard]] bool SetKey(Key key) {
      if (!limiter_->AcquireKey(key)) return false;
      key_ = std::move(key);
      has_key_ = true;
      return true;
    }
    void Release() {
      if (limiter_ != nullptr) limiter_->Release(has_key_ ? &key_ : nullptr);
      limiter_ = nullptr;
      has_key_ = false;
      key_ = Key();
    }

   private:
    friend class ConcurrencyLimiter;
    explicit Slot(LimitReached limit) : limit_reached_(limit) {}
    explicit Slot(ConcurrencyLimiter* limiter) : limiter_(limiter) {}
    Slot(ConcurrencyLimiter* limiter, Key key)
        : limiter_(limiter), has_key_(true), key_(std::move(key)) {}

    ConcurrencyLimiter* limiter_ = nullptr;
    LimitReached limit_reached_ = LimitReached::kNone;
    bool has_key_ = false;
    Key key_{};
  };

  ConcurrencyLimiter(int max_total, int max_per_key)
      : max_total_(max_total), max_per_key_(max_per_key) {}
  ConcurrencyLimiter(const ConcurrencyLimiter&) = delete;
  ConcurrencyLimiter& operator=(const ConcurrencyLimiter&) = delete;

  [[nodiscard]] Slot TryAcquire(Key key) {
    absl::MutexLock lock(&mutex_);
    if (count_ >= max_total_) return Slot(LimitReached::kTotal);
    if (!Increment(key)) return Slot(LimitReached::kKey);
    ++count_;
    return Slot(this, std::move(key));
  }
  // A slot without a key counts only for the total.
  [[nodiscard]] Slot TryAcquire() {
    absl::MutexLock lock(&mutex_);
    if (count_ >= max_total_) return Slot(LimitReached::kTotal);
    ++count_;
    return Slot(this);
  }

  int max_per_key() const { return max_per_key_; }
  // The slots that are acquired: all, and those of a key.
  int count() const {
    absl::MutexLock lock(&mutex_);
    return count_;
  }
  int CountOf(const Key& key) const {
    absl::MutexLock lock(&mutex_);
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? 0 : found->second;
  }

 private:
  bool AcquireKey(const Key& key) {
    absl::MutexLock lock(&mutex_);
    return Increment(key);
  }
  bool Increment(const Key& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (max_per_key_ <= 0) return false;
    int& held = by_key_[key];
    if (held >= max_per_key_) return false;
    ++held;
    return true;
  }
  void Release(const Key* key) {  // null: the slot has none
    absl::MutexLock lock(&mutex_);
    --count_;
    if (key == nullptr) return;
    const auto found = by_key_.find(*key);
    if (--found->second == 0) by_key_.erase(found);
  }

  const int max_total_;
  const int max_per_key_;
  mutable absl::Mutex mutex_;
  int count_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<Key, int> by_key_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_COMMON_CONCURRENCY_CONCURRENCY_LIMITER_H_
