// What the agents of a job on several nodes report. Errors become the reason
// on the job's card, or are printed by srun.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_MESSAGES_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::agent::agent_multi_node_messages {

inline constexpr ErrorTemplate kNotInAStep{
    absl::StatusCode::kFailedPrecondition, "MULTI_NODE_NOT_IN_A_STEP",
    "{name} is \"{value}\": expected a step of a job: carme-agent starts this "
    "program"};

inline constexpr ErrorTemplate kNeedsSrun{
    absl::StatusCode::kFailedPrecondition, "MULTI_NODE_NEEDS_SRUN",
    "a job on several nodes needs srun: set \"srun\" in agent.toml of this "
    "node"};

inline constexpr ErrorTemplate kFirstNodeNotHealthy{
    absl::StatusCode::kInvalidArgument, "MULTI_NODE_FIRST_NODE_NOT_HEALTHY",
    "{node}, the first node of the job, is not healthy"};

inline constexpr ErrorTemplate kTooFewHealthyNodes{
    absl::StatusCode::kFailedPrecondition, "MULTI_NODE_TOO_FEW_HEALTHY",
    "vetting: {summary}"};

inline constexpr ErrorTemplate kNotVetted{
    absl::StatusCode::kUnavailable, "MULTI_NODE_NOT_VETTED",
    "the nodes of the job could not be vetted: {summary} (exit code "
    "{exit_code})"};

inline constexpr ErrorTemplate kVariablesUnreadable{
    absl::StatusCode::kUnavailable, "MULTI_NODE_VARIABLES_UNREADABLE",
    "the environment's variables cannot be read: {cause} ({exit_code})"};

inline constexpr ErrorTemplate kStreamsMissing{
    absl::StatusCode::kInvalidArgument, "MULTI_NODE_STREAMS_MISSING",
    "srun was called without its three standard streams"};

inline constexpr ErrorTemplate kVariablesTooLong{
    absl::StatusCode::kInvalidArgument, "MULTI_NODE_VARIABLES_TOO_LONG",
    "the environment variables have {bytes} bytes: expected at most {max}"};

inline constexpr ErrorTemplate kEnvironmentNotRunning{
    absl::StatusCode::kUnavailable, "MULTI_NODE_ENVIRONMENT_NOT_RUNNING",
    "the environment is not running"};

inline constexpr ErrorTemplate kNodeListInvalid{
    absl::StatusCode::kFailedPrecondition, "MULTI_NODE_NODE_LIST_INVALID",
    "SLURM_JOB_NODELIST is \"{list}\": expected the nodes of the job"};

inline constexpr ErrorTemplate kAllocationUnknown{
    absl::StatusCode::kUnavailable, "MULTI_NODE_ALLOCATION_UNKNOWN",
    "squeue does not list the nodes of the job: \"{answer}\""};

inline constexpr TextTemplate kNodeFailed{"MULTI_NODE_NODE_FAILED",
                                          "node {node}: {cause}"};

inline constexpr TextTemplate kNodesNotReady{
    "MULTI_NODE_NODES_NOT_READY",
    "{ready} of {nodes} other nodes are ready after {seconds} s"};

inline constexpr TextTemplate kSlurmSilent{
    "MULTI_NODE_SLURM_SILENT",
    "{cause}; Slurm did not say within {seconds} s whether the job still has "
    "the node"};

inline constexpr TextTemplate kStorageNeedsNodes{
    "MULTI_NODE_STORAGE_NEEDS_NODES",
    "{nodes} was returned to Slurm: a job with a parallel file system of its "
    "own needs all of its nodes"};

inline constexpr TextTemplate kConnectionLost{
    "MULTI_NODE_CONNECTION_LOST",
    "connection to the other nodes of the job lost: {cause}"};

inline constexpr TextTemplate kConnectionLostSrun{
    "MULTI_NODE_CONNECTION_LOST_SRUN",
    "connection to the other nodes of the job lost: srun ended with exit code "
    "{exit_code}"};

}  // namespace carme::agent::agent_multi_node_messages

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_MESSAGES_H_
