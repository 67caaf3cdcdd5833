// Responses, made in one line.
#ifndef CARME_BACKEND_PRIVILEGED_OUTCOME_H_
#define CARME_BACKEND_PRIVILEGED_OUTCOME_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

privileged::v1::Response Outcome(privileged::v1::Outcome outcome,
                                 absl::string_view message);
// Nobody said go: the act was not begun.
privileged::v1::Response NoGo();
// Of an error of libslurm, with Slurm's own sentence.
privileged::v1::Response SlurmOutcome(int error);
// Of a status: INVALID_ARGUMENT and PERMISSION_DENIED refuse, NOT_FOUND is
// itself, UNAVAILABLE and
// RESOURCE_EXHAUSTED say try again, and what is left is our own fault.
privileged::v1::Response OutcomeOf(const absl::Status& status);

// For the audit line: "ok", "refused", "slurm_refused", …
std::string_view NameOf(privileged::v1::Outcome outcome);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_OUTCOME_H_
