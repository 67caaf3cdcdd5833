#include "backend/standby/active_lease.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "backend/standby/boot_time.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kRenewalsPerLease = 4;
constexpr absl::Duration kCheckInterval = absl::Milliseconds(250);

int64_t NanosSinceBoot() { return absl::ToInt64Nanoseconds(TimeSinceBoot()); }

}  // namespace

void EndAfterLostLease() {
  signal(SIGALRM, SIG_DFL);
  alarm(1);
  LogError("lease lost: ending, so that a standby can take over");
  _exit(kLostLeaseExitCode);
}

absl::StatusOr<std::unique_ptr<ActiveLease>> ActiveLease::Start(
    Options options, const StateLock* lock) {
  LeaseRecord record;
  ASSIGN_OR_RETURN(record.holder, IdentityOfThisProcess());
  RETURN_IF_ERROR(WriteLease(options.state_directory, record));
  return std::unique_ptr<ActiveLease>(
      new ActiveLease(std::move(options), lock, std::move(record)));
}

ActiveLease::ActiveLease(Options options, const StateLock* lock,
                         LeaseRecord record)
    : options_(std::move(options)),
      lock_(lock),
      record_(std::move(record)),
      renewed_at_(NanosSinceBoot()) {
  watchdog_.Start("lease-watchdog", kCheckInterval, [this] { CheckRenewed(); });
  renewer_.Start("lease-renewer", options_.duration / kRenewalsPerLease,
                 [this] { RenewOrEnd(); });
}

ActiveLease::~ActiveLease() {
  renewer_.Stop();
  watchdog_.Stop();
  record_.released = true;
  const absl::Status released = Renew();
  if (!released.ok()) {
    LogWarning("lease not released: a standby waits until it expires",
               {{"error", StatusText(released)}});
  }
}

absl::Status ActiveLease::Renew() {
  RETURN_IF_ERROR(lock_->CheckHeld());
  ++record_.renewals;
  return WriteLease(options_.state_directory, record_);
}

// The time is taken before the renewal: a standby counts from the moment in
// which it sees the record.
void ActiveLease::RenewOrEnd() {
  const int64_t begun = NanosSinceBoot();
  const absl::Status renewed = Renew();
  if (renewed.ok()) {
    renewed_at_.store(begun);
    return;
  }
  LogError("lease not renewed", {{"error", StatusText(renewed)}});
  if (absl::IsAborted(renewed)) options_.end_process();
}

void ActiveLease::CheckRenewed() {
  const absl::Duration age =
      absl::Nanoseconds(NanosSinceBoot() - renewed_at_.load());
  if (age >= options_.duration) options_.end_process();
}

}  // namespace carme::backend
