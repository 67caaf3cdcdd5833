// The messages about queries of slurmctld (common/message.h). `problem` is
// Slurm's own.
#ifndef CARME_BACKEND_SLURM_QUERY_MESSAGES_H_
#define CARME_BACKEND_SLURM_QUERY_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::slurm_query_messages {

inline constexpr ErrorTemplate kNotLoaded{absl::StatusCode::kUnavailable,
                                          "SLURM_NOT_LOADED",
                                          "load {what} from slurm: {problem}"};

inline constexpr ErrorTemplate kJobNotLoaded{
    absl::StatusCode::kUnavailable, "SLURM_JOB_NOT_LOADED",
    "load a job from slurm: {problem}"};

}  // namespace carme::backend::slurm_query_messages

#endif  // CARME_BACKEND_SLURM_QUERY_MESSAGES_H_
