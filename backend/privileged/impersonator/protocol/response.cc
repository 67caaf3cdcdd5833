#include "backend/privileged/impersonator/protocol/response.h"

#include "backend/privileged/protocol/outcome.h"

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
  return MakeResponse(OutcomeFor(status), status.message());
}

}  // namespace carme::impersonator
