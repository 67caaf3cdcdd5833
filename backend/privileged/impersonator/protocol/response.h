// Builds responses.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

privileged::v1::Response MakeResponse(privileged::v1::Outcome outcome,
                                      absl::string_view message);
// The operation was not begun, because no commit arrived.
privileged::v1::Response NotCommitted();
// With the outcome of OutcomeFor().
privileged::v1::Response ResponseFor(const absl::Status& status);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_PROTOCOL_RESPONSE_H_
