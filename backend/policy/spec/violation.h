// A reason why a job is refused, and the status code of several reasons.
#ifndef CARME_BACKEND_POLICY_SPEC_VIOLATION_H_
#define CARME_BACKEND_POLICY_SPEC_VIOLATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/display_text.h"

namespace carme::backend {

// Who can fix it, the strongest first: a violation that waiting cannot fix
// decides the code.
enum class Refusal {
  kMaintenance,  // FAILED_PRECONDITION: no job is accepted, valid or not
  kInvalid,      // INVALID_ARGUMENT: invalid request
  kMissing,      // NOT_FOUND: it names something that does not exist
  kForbidden,    // PERMISSION_DENIED: a limit that such a job never meets
  kImpossible,   // FAILED_PRECONDITION: the cluster cannot provide it
  kUnavailable,  // UNAVAILABLE: Slurm does not respond
  kExhausted,    // RESOURCE_EXHAUSTED: possible once another job ends
};

// carme.v1.Violation as a plain value.
struct Violation {
  Refusal refusal = Refusal::kInvalid;
  std::string field;    // JSON name of the spec's field; empty: the whole job
  std::string limit;    // name of the limit
  std::string value;    // value of the limit
  DisplayText source;   // source of the limit
  DisplayText message;  // found, then expected
  friend bool operator==(const Violation&, const Violation&) = default;
};

// OK if empty; otherwise the strongest code with all messages, and the details
// google.rpc.BadRequest, QuotaFailure and PreconditionFailure with the
// violations, and ErrorInfo with "limit", "value", "source" and "field" of the
// strongest, or "message" and "until" of a maintenance; and carme.v1.TextCode
// of the text.
absl::Status StatusOf(const std::vector<Violation>& violations);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_VIOLATION_H_
