// What gssr-record reports.
#ifndef CARME_SLURM_HOOKS_GSSR_MESSAGES_H_
#define CARME_SLURM_HOOKS_GSSR_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::gssr_messages {

inline constexpr MessageTemplate kUsage{
    "usage: gssr-record [-h] [--version] [-o DIR] [-v|-vv] [--test-only] "
    "[--] COMMAND [ARGUMENT...]"};

inline constexpr MessageTemplate kUnknownOption{"\"{option}\": unknown option"};

inline constexpr MessageTemplate kNoDirectory{"-o: expected a directory"};

inline constexpr MessageTemplate kNotInSlurm{
    "not in a job of Slurm: recording as job 0 of \"nocluster\""};

inline constexpr MessageTemplate kNoGpu{
    "GPUs are not recorded: {error}; the command runs all the same"};

inline constexpr MessageTemplate kNoJobGpu{
    "GPUs are not recorded: this job has none; the command runs all the same"};

inline constexpr MessageTemplate kNotWritten{
    "GPUs are not recorded: {error}; the command runs all the same"};

inline constexpr MessageTemplate kStopped{
    "GPUs are not recorded any more: {error}"};

inline constexpr MessageTemplate kSource{
    "{count} GPUs by {kind}, driver {driver}, {library}"};

inline constexpr MessageTemplate kRecordedBefore{
    "this step was recorded before: recording to {path}"};

inline constexpr ErrorTemplate kTooManyRuns{
    absl::StatusCode::kAlreadyExists, "GSSR_TOO_MANY_RUNS",
    "\"{path}\" has {max} recordings of this step: give another directory with "
    "-o"};

inline constexpr MessageTemplate kRecordingTo{"recording to {path}"};

inline constexpr ErrorTemplate kCannotStart{absl::StatusCode::kNotFound,
                                            "GSSR_CANNOT_START",
                                            "start \"{command}\": {error}"};

}  // namespace carme::gssr_messages

#endif  // CARME_SLURM_HOOKS_GSSR_MESSAGES_H_
