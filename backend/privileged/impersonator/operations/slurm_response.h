// Responses for errors of libslurm.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_RESPONSE_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_RESPONSE_H_

#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// The response for `error`, an errno of libslurm, with Slurm's message.
privileged::v1::Response SlurmErrorResponse(int error);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_RESPONSE_H_
