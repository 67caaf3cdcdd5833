// The messages about libslurm (common/message.h). `problem` is Slurm's own.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_MESSAGES_H_
#define CARME_BACKEND_SLURM_LIBSLURM_MESSAGES_H_

#include "common/message.h"

namespace carme::libslurm_messages {

inline constexpr ErrorTemplate kConfigurationNotLoaded{
    absl::StatusCode::kUnavailable, "LIBSLURM_CONFIGURATION_NOT_LOADED",
    "load the configuration from slurm: {problem}"};

inline constexpr ErrorTemplate kLimitsNotLoaded{
    absl::StatusCode::kUnavailable, "LIBSLURM_LIMITS_NOT_LOADED",
    "load the limits from slurm: {problem}"};

inline constexpr ErrorTemplate kJobStatesNotLoaded{
    absl::StatusCode::kUnavailable, "LIBSLURM_JOB_STATES_NOT_LOADED",
    "load states of jobs from slurm: {problem}"};

inline constexpr ErrorTemplate kJobStatesNotSupported{
    absl::StatusCode::kUnimplemented, "LIBSLURM_JOB_STATES_NOT_SUPPORTED",
    "this libslurm loads no states of jobs"};

inline constexpr MessageTemplate kReleaseTooOld{
    "slurmctld closes connections of libslurm {version} without a response, as "
    "releases that are older than libslurm do: compare `scontrol --version` on "
    "both hosts and install Carme for slurmctld's release here"};

inline constexpr MessageTemplate kReleaseMismatch{
    "slurmctld {release} does not work with libslurm {version} of this host: "
    "install Carme and Slurm's packages for {release} here"};

}  // namespace carme::libslurm_messages

#endif  // CARME_BACKEND_SLURM_LIBSLURM_MESSAGES_H_
