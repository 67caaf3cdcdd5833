#include "backend/maintenance/maintenance_rules.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backend/maintenance/messages.h"
#include "common/message.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxMessage = 500;
constexpr absl::Duration kLongest = absl::Hours(24 * 365);
// How long a request may travel until its "now" has passed.
constexpr absl::Duration kMaxDelay = absl::Minutes(5);

absl::Time WholeSeconds(absl::Time time) {
  return absl::FromUnixSeconds(absl::ToUnixSeconds(time));
}

std::string UtcText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
}

absl::Status CheckTimes(const MaintenanceWindow& window, absl::Time now) {
  if (window.starts_at > now + kLongest) {
    return MakeError(maintenance_messages::kStartTooFar);
  }
  if (window.ends_at <= now || window.ends_at <= window.starts_at) {
    return MakeError(maintenance_messages::kEndInvalid);
  }
  if (window.ends_at > window.starts_at + kLongest) {
    return MakeError(maintenance_messages::kEndTooFar);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MaintenanceWindow> CheckMaintenance(
    const MaintenanceRequest& request,
    const std::optional<MaintenanceWindow>& current, absl::Time now) {
  const std::optional<size_t> length =
      IsUtf8(request.message) ? PrintableLength(request.message) : std::nullopt;
  if (!length || *length > kMaxMessage ||
      request.message.find_first_not_of(' ') == std::string::npos) {
    return MakeError(maintenance_messages::kMessageInvalid,
                     {{"max", kMaxMessage}});
  }
  if (!request.reserve &&
      !(request.partition.empty() && request.nodes.empty())) {
    return MakeError(maintenance_messages::kPartsWithoutReservation);
  }
  if (!request.partition.empty() && !request.nodes.empty()) {
    return MakeError(maintenance_messages::kPartitionAndNodes);
  }
  absl::Time starts_at = now;
  if (request.starts_at) {
    starts_at = *request.starts_at;
  } else if (current && IsInEffect(*current, now)) {
    starts_at = current->starts_at;
  }
  if (request.starts_at && starts_at < now - kMaxDelay &&
      !(current && current->starts_at == WholeSeconds(starts_at))) {
    return MakeError(maintenance_messages::kStartPassed);
  }
  MaintenanceWindow window{.message = request.message,
                           .starts_at = WholeSeconds(starts_at),
                           .ends_at = WholeSeconds(request.ends_at),
                           .auto_end = request.auto_end,
                           .partition = request.partition,
                           .nodes = request.nodes};
  if (const absl::Status times = CheckTimes(window, now); !times.ok()) {
    return times;
  }
  return window;
}

MaintenanceReservation ReservationFor(const MaintenanceWindow& window,
                                      const std::string& name) {
  // Rounded up: Slurm counts minutes.
  const absl::Duration duration =
      window.auto_end
          ? absl::Ceil(window.ends_at - window.starts_at, absl::Minutes(1))
          : absl::InfiniteDuration();
  return {.name = name,
          .starts_at = window.starts_at,
          .duration = duration,
          .partition = window.partition,
          .nodes = window.nodes};
}

bool IsInEffect(const MaintenanceWindow& window, absl::Time now) {
  return window.starts_at <= now && !HasEnded(window, now);
}

bool HasEnded(const MaintenanceWindow& window, absl::Time now) {
  return window.auto_end && window.ends_at <= now;
}

Violation RefusalDuring(const MaintenanceWindow& window, absl::Time now) {
  const TextTemplate& message = window.ends_at > now
                                    ? maintenance_messages::kNoJobs
                                    : maintenance_messages::kNoJobsAfterEnd;
  return {.refusal = Refusal::kMaintenance,
          .field = "",
          .limit = "",
          .value = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", window.ends_at,
                                    absl::UTCTimeZone()),
          .source = "",
          .message = MakeText(message, {{"end", UtcText(window.ends_at)},
                                        {"announcement", window.message}})};
}

}  // namespace carme::backend
