// Conversions of outcomes.
#ifndef CARME_BACKEND_PRIVILEGED_PROTOCOL_OUTCOME_H_
#define CARME_BACKEND_PRIVILEGED_PROTOCOL_OUTCOME_H_

#include <string_view>

#include "absl/status/status.h"
#include "carme/privileged/v1/outcome.pb.h"

namespace carme {

// INVALID_ARGUMENT and PERMISSION_DENIED become REFUSED, NOT_FOUND NOT_FOUND,
// UNAVAILABLE and RESOURCE_EXHAUSTED UNAVAILABLE (try again), all other errors
// FAILED.
privileged::v1::Outcome OutcomeFor(const absl::Status& status);

// For the audit line: "ok", "refused", "slurm_refused", …
std::string_view OutcomeName(privileged::v1::Outcome outcome);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PROTOCOL_OUTCOME_H_
