#include "backend/policy/violation.h"

#include <algorithm>

#include "absl/strings/str_join.h"

namespace carme {
namespace {

absl::StatusCode CodeOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kInvalid:
      return absl::StatusCode::kInvalidArgument;
    case Refusal::kMissing:
      return absl::StatusCode::kNotFound;
    case Refusal::kForbidden:
      return absl::StatusCode::kPermissionDenied;
    case Refusal::kImpossible:
      return absl::StatusCode::kFailedPrecondition;
    case Refusal::kUnavailable:
      return absl::StatusCode::kUnavailable;
    case Refusal::kExhausted:
      return absl::StatusCode::kResourceExhausted;
  }
  return absl::StatusCode::kInternal;
}

}  // namespace

absl::Status StatusOf(const std::vector<Violation>& violations) {
  if (violations.empty()) return absl::OkStatus();
  const auto strongest =
      std::min_element(violations.begin(), violations.end(),
                       [](const Violation& a, const Violation& b) {
                         return a.refusal < b.refusal;
                       });
  return absl::Status(
      CodeOf(strongest->refusal),
      absl::StrJoin(violations, "; ", [](std::string* out, const Violation& v) {
        out->append(v.message);
      }));
}

}  // namespace carme
