#include "backend/privileged/outcome.h"

#include "backend/slurm/libslurm.h"

namespace carme::impersonator {

using privileged::v1::Response;

Response Outcome(privileged::v1::Outcome outcome, absl::string_view message) {
  Response response;
  response.set_outcome(outcome);
  response.set_message(std::string(message));
  return response;
}

Response NoGo() {
  return Outcome(privileged::v1::OUTCOME_UNAVAILABLE, "no go came");
}

Response SlurmOutcome(int error) {
  const auto outcome = [error] {
    switch (FailureOf(error)) {
      case SlurmFailure::kRefused:
        return privileged::v1::OUTCOME_SLURM_REFUSED;
      case SlurmFailure::kUnreachable:
        return privileged::v1::OUTCOME_UNAVAILABLE;
      case SlurmFailure::kUnknown:
        break;
    }
    return privileged::v1::OUTCOME_UNKNOWN;
  }();
  Response response = Outcome(outcome, "slurm: " + SlurmErrorText(error));
  response.set_slurm_errno(error);
  return response;
}

Response OutcomeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Outcome(privileged::v1::OUTCOME_OK, "");
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
      return Outcome(privileged::v1::OUTCOME_REFUSED, status.message());
    case absl::StatusCode::kNotFound:
      return Outcome(privileged::v1::OUTCOME_NOT_FOUND, status.message());
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return Outcome(privileged::v1::OUTCOME_UNAVAILABLE, status.message());
    default:
      return Outcome(privileged::v1::OUTCOME_FAILED, status.message());
  }
}

std::string_view NameOf(privileged::v1::Outcome outcome) {
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

}  // namespace carme::impersonator
