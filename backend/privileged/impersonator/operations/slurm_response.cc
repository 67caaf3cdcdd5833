#include "backend/privileged/impersonator/operations/slurm_response.h"

#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme::impersonator {

using privileged::v1::Response;

Response SlurmErrorResponse(int error) {
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
  Response response = MakeResponse(outcome, "slurm: " + SlurmErrorText(error));
  response.set_slurm_errno(error);
  return response;
}

}  // namespace carme::impersonator
