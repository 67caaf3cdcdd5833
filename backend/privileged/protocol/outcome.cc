#include "backend/privileged/protocol/outcome.h"

namespace carme {

privileged::v1::Outcome OutcomeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return privileged::v1::OUTCOME_OK;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
      return privileged::v1::OUTCOME_REFUSED;
    case absl::StatusCode::kNotFound:
      return privileged::v1::OUTCOME_NOT_FOUND;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return privileged::v1::OUTCOME_UNAVAILABLE;
    default:
      return privileged::v1::OUTCOME_FAILED;
  }
}

std::string_view OutcomeName(privileged::v1::Outcome outcome) {
  switch (outcome) {
    case privileged::v1::OUTCOME_OK:
      return "ok";
    case privileged::v1::OUTCOME_REFUSED:
      return "refused";
    case privileged::v1::OUTCOME_SLURM_REFUSED:
      return "slurm_refused";
    case privileged::v1::OUTCOME_UNAVAILABLE:
      return "unavailable";
    case privileged::v1::OUTCOME_UNKNOWN:
      return "unknown";
    case privileged::v1::OUTCOME_EXHAUSTED:
      return "exhausted";
    case privileged::v1::OUTCOME_NOT_FOUND:
      return "not_found";
    default:
      return "failed";
  }
}

}  // namespace carme
