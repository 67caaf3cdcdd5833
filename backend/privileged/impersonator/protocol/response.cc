#include "backend/privileged/impersonator/protocol/response.h"

namespace carme::impersonator {

using privileged::v1::Response;

Response MakeResponse(privileged::v1::Outcome outcome,
                      absl::string_view message) {
  Response response;
  response.set_outcome(outcome);
  response.set_message(std::string(message));
  return response;
}

Response NotCommitted() {
  return MakeResponse(privileged::v1::OUTCOME_UNAVAILABLE, "no commit arrived");
}

Response ResponseFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return MakeResponse(privileged::v1::OUTCOME_OK, "");
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
      return MakeResponse(privileged::v1::OUTCOME_REFUSED, status.message());
    case absl::StatusCode::kNotFound:
      return MakeResponse(privileged::v1::OUTCOME_NOT_FOUND, status.message());
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return MakeResponse(privileged::v1::OUTCOME_UNAVAILABLE,
                          status.message());
    default:
      return MakeResponse(privileged::v1::OUTCOME_FAILED, status.message());
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

}  // namespace carme::impersonator
