// Tells the thread sanitizer of Abseil's locks. The distribution's Abseil is
// not built for it, so that all that such a lock guards would look like a race.
// The definitions of the program come before the library's, also for gRPC: what
// it passes from thread to thread under its locks is seen as well.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <cstdlib>
#include <string>

#include "absl/base/options.h"
#include "absl/synchronization/mutex.h"

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}

#define CARME_TEXT_OF(word) #word
#define CARME_TEXT(word) CARME_TEXT_OF(word)

namespace {

// The library's own, by what follows the name space in its mangled name.
template <typename Function>
Function Real(const char* name, const char* prefix = "_ZN4absl") {
  const std::string inner = CARME_TEXT(ABSL_OPTION_INLINE_NAMESPACE_NAME);
  const std::string whole =
      prefix + std::to_string(inner.size()) + inner + name;
  void* found = dlsym(RTLD_NEXT, whole.c_str());
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function>(found);
}

// A wait in the middle of what a lock guards.
class Waiting {
 public:
  explicit Waiting(void* mutex) : mutex_(mutex) { __tsan_release(mutex_); }
  ~Waiting() { __tsan_acquire(mutex_); }

 private:
  void* const mutex_;
};

}  // namespace

void absl::Mutex::Lock() {
  static const auto real = Real<void (*)(Mutex*)>("5Mutex4LockEv");
  real(this);
  __tsan_acquire(this);
}

bool absl::Mutex::TryLock() {
  static const auto real = Real<bool (*)(Mutex*)>("5Mutex7TryLockEv");
  const bool locked = real(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void absl::Mutex::Unlock() {
  static const auto real = Real<void (*)(Mutex*)>("5Mutex6UnlockEv");
  __tsan_release(this);
  real(this);
}

void absl::Mutex::ReaderLock() {
  static const auto real = Real<void (*)(Mutex*)>("5Mutex10ReaderLockEv");
  real(this);
  __tsan_acquire(this);
}

void absl::Mutex::ReaderUnlock() {
  static const auto real = Real<void (*)(Mutex*)>("5Mutex12ReaderUnlockEv");
  __tsan_release(this);
  real(this);
}

void absl::Mutex::LockWhen(const Condition& condition) {
  static const auto real = Real<void (*)(Mutex*, const Condition&)>(
      "5Mutex8LockWhenERKNS0_9ConditionE");
  real(this, condition);
  __tsan_acquire(this);
}

void absl::Mutex::Await(const Condition& condition) {
  static const auto real = Real<void (*)(Mutex*, const Condition&)>(
      "5Mutex5AwaitERKNS0_9ConditionE");
  const Waiting waiting(this);
  real(this, condition);
}

bool absl::Mutex::AwaitWithTimeout(const Condition& condition,
                                   Duration timeout) {
  static const auto real = Real<bool (*)(Mutex*, const Condition&, Duration)>(
      "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  const Waiting waiting(this);
  return real(this, condition, timeout);
}

bool absl::Mutex::AwaitWithDeadline(const Condition& condition, Time deadline) {
  static const auto real = Real<bool (*)(Mutex*, const Condition&, Time)>(
      "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  const Waiting waiting(this);
  return real(this, condition, deadline);
}

// The unlocking thread asks for waiters, after Unlock has announced it.
bool absl::Condition::Eval() const {
  static const auto real =
      Real<bool (*)(const Condition*)>("9Condition4EvalEv", "_ZNK4absl");
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const bool holds = real(this);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return holds;
}

void absl::CondVar::Wait(Mutex* mutex) {
  static const auto real =
      Real<void (*)(CondVar*, Mutex*)>("7CondVar4WaitEPNS0_5MutexE");
  const Waiting waiting(mutex);
  real(this, mutex);
}

bool absl::CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static const auto real = Real<bool (*)(CondVar*, Mutex*, Duration)>(
      "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  const Waiting waiting(mutex);
  return real(this, mutex, timeout);
}

bool absl::CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static const auto real = Real<bool (*)(CondVar*, Mutex*, Time)>(
      "7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  const Waiting waiting(mutex);
  return real(this, mutex, deadline);
}
