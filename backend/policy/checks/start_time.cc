#include "backend/policy/checks/start_time.h"

#include <string>
#include <utility>

#include "backend/policy/checks/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kJustPassed = absl::Minutes(10);
constexpr absl::Duration kFarthest = absl::Hours(24 * 366);

Violation Refused(Refusal refusal, const char* limit, const char* value,
                  DisplayText message) {
  return {refusal, "startAt",         limit,
          value,   kCarmeLimitSource, std::move(message)};
}

}  // namespace

std::vector<Violation> ChooseStartTime(absl::Time now, JobSpec* spec) {
  if (!spec->start_at) return {};
  if (!spec->linked_to.empty()) {
    return {Refused(
        Refusal::kInvalid, "linkedTo", "",
        MakeText(policy_check_messages::kStartTimeWithAdditionalNodes))};
  }
  if (!spec->builds.empty()) {
    return {Refused(Refusal::kInvalid, "builds", "",
                    MakeText(policy_check_messages::kStartTimeWithImage))};
  }
  if (*spec->start_at < now - kJustPassed) {
    return {Refused(Refusal::kInvalid, "earliest", "now",
                    MakeText(policy_check_messages::kStartTimePassed))};
  }
  if (*spec->start_at > now + kFarthest) {
    return {Refused(Refusal::kInvalid, "farthest", "366 days",
                    MakeText(policy_check_messages::kStartTimeTooFar))};
  }
  if (*spec->start_at <= now) {
    spec->start_at.reset();
  } else {
    spec->start_at =
        absl::FromUnixSeconds(absl::ToUnixSeconds(*spec->start_at));
  }
  return {};
}

}  // namespace carme::backend
