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
  if (!spec->linked_to.empty()) {
    return {Refused(Refusal::kInvalid, "linkedTo", "",
                    "startAt is not allowed when nodes are added to a job")};
  }
  if (!spec->builds.empty()) {
    return {Refused(Refusal::kInvalid, "builds", "",
                    "startAt is not allowed for a job that builds an image")};
  }
  if (*spec->start_at < now - kJustPassed) {
    return {Refused(Refusal::kInvalid, "earliest", "now",
                    "startAt must be in the future")};
  }
  if (*spec->start_at > now + kFarthest) {
    return {Refused(Refusal::kInvalid, "farthest", "366 days",
                    "startAt must be at most 366 days ahead")};
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
