// What `carme vet` prints.
#ifndef CARME_SLURM_HOOKS_VET_CLI_MESSAGES_H_
#define CARME_SLURM_HOOKS_VET_CLI_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::vet::vet_messages {

inline constexpr ErrorTemplate kUsage{absl::StatusCode::kInvalidArgument,
                                      "VET_USAGE", "{problem}"};
inline constexpr MessageTemplate kOneConfig{
    "expected one configuration: carme vet [diagnose] CONFIG"};
inline constexpr MessageTemplate kVetnodeVerb{
    "expected vetnode setup CONFIG or vetnode diagnose CONFIG"};
inline constexpr MessageTemplate kNoCommand{
    "--require needs a command: carme vet --require N -- COMMAND"};
inline constexpr MessageTemplate kNoRequire{
    "a command needs the number of nodes: --require N"};
inline constexpr MessageTemplate kIfRequestedNotRoot{
    "--if-requested works as root, without --require and --prolog-job"};
inline constexpr ErrorTemplate kNodeList{
    absl::StatusCode::kInvalidArgument, "VET_NODE_LIST",
    "\"{list}\" is no list of nodes: expected one from Slurm"};
inline constexpr ErrorTemplate kVariable{
    absl::StatusCode::kFailedPrecondition, "VET_VARIABLE",
    "variable {name} is \"{value}\": expected {expected}"};
inline constexpr ErrorTemplate kNotInAJob{
    absl::StatusCode::kFailedPrecondition, "VET_NOT_IN_A_JOB",
    "--require works in a job only: SLURM_JOB_ID and SLURM_JOB_NODELIST are "
    "not set"};
inline constexpr ErrorTemplate kStepNotStarted{
    absl::StatusCode::kUnavailable, "VET_STEP_NOT_STARTED",
    "the step that vets the nodes was not started: {cause}"};

inline constexpr MessageTemplate kSetup{
    "note: {path} is valid, {count} evaluations; there is nothing to install"};
inline constexpr MessageTemplate kVetted{"Vetted: {host}"};
inline constexpr MessageTemplate kCordon{"Cordon: {host}"};
inline constexpr MessageTemplate kResult{
    "{host}: {status} \"{evaluation}\" ({type}){reason}"};
inline constexpr MessageTemplate kResultOfMany{
    "{count} nodes: {status} \"{evaluation}\" ({type}){reason}"};
inline constexpr MessageTemplate kLearned{
    "note: baseline file \"{path}\" has learned from {nodes} nodes"};

inline constexpr ErrorTemplate kReportNotInAJob{
    absl::StatusCode::kFailedPrecondition, "VET_REPORT_NOT_IN_A_JOB",
    "--report works as root or in a job only: SLURM_JOB_ID is not set"};
inline constexpr ErrorTemplate kNotReported{
    absl::StatusCode::kUnavailable, "VET_NOT_REPORTED",
    "the results were not reported: {program} ended with exit code {code}"};
inline constexpr ErrorTemplate kRequestNotRead{
    absl::StatusCode::kUnavailable, "VET_REQUEST_NOT_READ",
    "whether a run is requested is not known: {program} ended with exit code "
    "{code}"};
inline constexpr MessageTemplate kNotRequested{
    "note: no run of node {node} is requested"};
inline constexpr MessageTemplate kNoResultOfEvaluation{"no result"};

inline constexpr MessageTemplate kTooFewNodes{
    "{healthy} of {all} nodes are healthy: expected {required}; the command "
    "was not started"};
inline constexpr MessageTemplate kTooSmall{
    "the job has {all} nodes: expected at least {required}"};
inline constexpr MessageTemplate kOtherSize{
    "note: the job has {all} nodes: expected {required} and {spare} spare "
    "ones"};
inline constexpr MessageTemplate kChosen{"starting on {nodes}"};
inline constexpr MessageTemplate kReleased{"returned to Slurm: {nodes}"};
inline constexpr MessageTemplate kNotReleased{
    "note: Slurm keeps {nodes} in the job, the command does not use them: "
    "{cause}"};
inline constexpr MessageTemplate kRequeued{
    "requeuing job {job} without {nodes}"};
inline constexpr MessageTemplate kNotRequeued{
    "job {job} was not requeued: {cause}"};
inline constexpr MessageTemplate kRequeuedOften{
    "it was requeued {count} times already"};
}  // namespace carme::vet::vet_messages

#endif  // CARME_SLURM_HOOKS_VET_CLI_MESSAGES_H_
