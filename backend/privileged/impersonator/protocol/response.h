// Builds responses.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

privileged::v1::Response MakeResponse(privileged::v1::Outcome outcome,
                                      absl::string_view message);
// The operation was not begun, because no commit arrived.
privileged::v1::Response NotCommitted();
// INVALID_ARGUMENT and PERMISSION_DENIED become REFUSED, NOT_FOUND NOT_FOUND,
// UNAVAILABLE and RESOURCE_EXHAUSTED UNAVAILABLE (try again), all others
// FAILED.
privileged::v1::Response ResponseFor(const absl::Status& status);

// For the audit line: "ok", "refused", "slurm_refused", …
std::string_view OutcomeName(privileged::v1::Outcome outcome);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_
