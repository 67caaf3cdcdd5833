// One reason why a job is refused, and the code that reasons amount to.
#ifndef CARME_BACKEND_POLICY_SPEC_VIOLATION_H_
#define CARME_BACKEND_POLICY_SPEC_VIOLATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace carme::backend {

// Whose move it is, the strongest first: what cannot be mended by waiting
// decides the code of the whole.
enum class Refusal {
  kInvalid,      // INVALID_ARGUMENT: the request makes no sense
  kMissing,      // NOT_FOUND: it names something that is not there
  kForbidden,    // PERMISSION_DENIED: a limit such a job can never meet
  kImpossible,   // FAILED_PRECONDITION: the cluster has no such thing
  kUnavailable,  // UNAVAILABLE: Slurm does not answer
  kExhausted,    // RESOURCE_EXHAUSTED: can be met once another job ends
};

// carme.v1.Violation as a plain value.
struct Violation {
  Refusal refusal = Refusal::kInvalid;
  std::string field;    // JSON name of the spec's field; empty: the whole job
  std::string limit;    // the limit's name
  std::string value;    // the limit's value
  std::string source;   // who set it
  std::string message;  // found, then expected
  friend bool operator==(const Violation&, const Violation&) = default;
};

// OK when there is none; else the strongest code with every message. With the
// details google.rpc.BadRequest, QuotaFailure and PreconditionFailure, whose
// violations are these, and ErrorInfo with "limit", "value", "source" and
// "field" of the strongest.
absl::Status StatusOf(const std::vector<Violation>& violations);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_VIOLATION_H_
