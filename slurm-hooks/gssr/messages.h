// What gssr-record reports.
#ifndef CARME_SLURM_HOOKS_GSSR_MESSAGES_H_
#define CARME_SLURM_HOOKS_GSSR_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::gssr_messages {

inline constexpr MessageTemplate kUsage{
    "usage: gssr-record [-h] [--version] [-o DIR] [-v|-vv] [--test-only] "
    "[--label LABEL] [--max-runtime SECONDS] [--sampling-time MILLISECONDS] "
    "[--] COMMAND [ARGUMENT...]"};

inline constexpr MessageTemplate kBadNumber{
    "{option}: expected a number, at least {min}"};

inline constexpr MessageTemplate kMaxRuntime{
    "the command is ended: --max-runtime is reached"};

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

inline constexpr MessageTemplate kFrontUsage{
    "usage: gssr profile -w COMMAND [-l LABEL] [-m SECONDS] [-t MILLISECONDS] "
    "[-f] [-a] [-o DIR]\n"
    "       gssr analyze -i PATH [-s] [-rp] [-e FILE.sqlite3] [-f] [-o DIR]"};

inline constexpr ErrorTemplate kFrontVerb{
    absl::StatusCode::kInvalidArgument, "GSSR_FRONT_VERB",
    "expected gssr profile or gssr analyze: gssr --help"};

inline constexpr ErrorTemplate kFrontOption{
    absl::StatusCode::kInvalidArgument, "GSSR_FRONT_OPTION",
    "\"{option}\" is no option of gssr {verb}: gssr --help"};

inline constexpr ErrorTemplate kFrontValue{absl::StatusCode::kInvalidArgument,
                                           "GSSR_FRONT_VALUE",
                                           "{option} needs a value"};

inline constexpr ErrorTemplate kFrontExists{
    absl::StatusCode::kAlreadyExists, "GSSR_FRONT_EXISTS",
    "{path} exists already: -f replaces it"};

inline constexpr ErrorTemplate kFrontProgram{absl::StatusCode::kNotFound,
                                             "GSSR_FRONT_PROGRAM",
                                             "{program} is not installed"};

inline constexpr ErrorTemplate kCannotStart{absl::StatusCode::kNotFound,
                                            "GSSR_CANNOT_START",
                                            "start \"{command}\": {error}"};

}  // namespace carme::gssr_messages

#endif  // CARME_SLURM_HOOKS_GSSR_MESSAGES_H_
