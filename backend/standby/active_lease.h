// The lease of the active backend. It exists so that two backends never write
// at the same time, even where the file system took the lock of a host that it
// could not reach and gave it to another one.
#ifndef CARME_BACKEND_STANDBY_ACTIVE_LEASE_H_
#define CARME_BACKEND_STANDBY_ACTIVE_LEASE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/standby/lease_record.h"
#include "backend/store/state_lock.h"
#include "common/concurrency/background_thread.h"

namespace carme::backend {

// What the process ends with if it lost its lease: EX_TEMPFAIL. systemd starts
// it again, as a standby.
inline constexpr int kLostLeaseExitCode = 75;

// Thread-safe.
class ActiveLease {
 public:
  struct Options {
    std::string state_directory;
    absl::Duration duration;  // without a renewal for so long: lost
    // Ends the process at once. Must not block or return, except in tests.
    std::function<void()> end_process;
  };

  // Writes the first record. `lock` must outlive the object. Errors of writing.
  static absl::StatusOr<std::unique_ptr<ActiveLease>> Start(
      Options options, const StateLock* lock);
  // Marks the record as released: a standby takes over without waiting.
  ~ActiveLease();

 private:
  ActiveLease(Options options, const StateLock* lock, LeaseRecord record);
  absl::Status Renew();
  void RenewOrEnd();
  void CheckRenewed();

  const Options options_;
  const StateLock* const lock_;
  LeaseRecord record_;  // of the renewing thread
  // In nanoseconds since boot.
  std::atomic<int64_t> renewed_at_;
  // Two threads: a renewal may hang in the file system.
  BackgroundThread watchdog_;
  BackgroundThread renewer_;
};

// Ends this process with kLostLeaseExitCode; within a second if writing the log
// line blocks.
void EndAfterLostLease();

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_ACTIVE_LEASE_H_
