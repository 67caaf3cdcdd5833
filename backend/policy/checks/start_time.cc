#include "backend/policy/checks/start_time.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kJustPassed = absl::Minutes(10);
constexpr absl::Duration kFarthest = absl::Hours(24 * 366);

Violation Refused(Refusal refusal, const char* limit, const char* value,
                  const char* message) {
  return {refusal, "startAt", limit, value, "carme", message};
}

}  // namespace

std::vector<Violation> ChooseStartTime(absl::Time now, JobSpec* spec) {
  if (!spec->start_at) return {};
  if (!spec->companion_of.empty()) {
    return {Refused(Refusal::kInvalid, "companionOf", "",
                    "startAt is given for a job that joins another: expected "
                    "none")};
  }
  if (!spec->builds.empty()) {
    return {Refused(Refusal::kInvalid, "builds", "",
                    "startAt is given for a job that makes an image: expected "
                    "none")};
  }
  if (*spec->start_at < now - kJustPassed) {
    return {Refused(Refusal::kInvalid, "earliest", "now",
                    "startAt has passed: expected a time to come")};
  }
  if (*spec->start_at > now + kFarthest) {
    return {Refused(Refusal::kInvalid, "farthest", "366 days",
                    "startAt is more than a year ahead: expected at most 366 "
                    "days")};
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
