// The messages about agents of jobs and their registration (common/message.h).
#ifndef CARME_BACKEND_JOBS_AGENTS_MESSAGES_H_
#define CARME_BACKEND_JOBS_AGENTS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_agent_messages {

// Registration.
inline constexpr ErrorTemplate kCredentialLength{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_CREDENTIAL_LENGTH_INVALID",
    "credential has {bytes} bytes: expected 1 to {max}"};
inline constexpr ErrorTemplate kCredentialRejected{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_CREDENTIAL_REJECTED",
    "munge: {cause}"};
inline constexpr ErrorTemplate kMungeUnavailable{absl::StatusCode::kUnavailable,
                                                 "JOB_AGENT_MUNGE_UNAVAILABLE",
                                                 "munge: {cause}"};
inline constexpr ErrorTemplate kWrongUid{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_UID_WRONG",
    "credential is of uid {uid}: expected the job's, {expected}"};
inline constexpr ErrorTemplate kFirstNodeUnknown{
    absl::StatusCode::kUnavailable, "JOB_AGENT_NODE_UNKNOWN",
    "the first node of the job is not known"};
inline constexpr ErrorTemplate kWrongNode{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_NODE_WRONG",
    "call comes from \"{peer}\": expected node \"{node}\", \"{address}\""};
inline constexpr ErrorTemplate kTooManyWaiting{
    absl::StatusCode::kUnavailable, "JOB_AGENT_CALL_LIMIT_REACHED",
    "too many calls are waiting for Slurm's state"};
inline constexpr ErrorTemplate kNotCarmes{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_JOB_NOT_RUN_BY_CARME",
    "Slurm job {slurm_job} is not one that Carme runs"};
inline constexpr ErrorTemplate kSlurmSilent{
    absl::StatusCode::kUnavailable, "JOB_AGENT_SLURM_UNAVAILABLE",
    "Slurm has not responded for {time}"};
inline constexpr ErrorTemplate kNotActive{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_JOB_NOT_ACTIVE",
    "Slurm job {slurm_job} does not belong to an active job of uid {uid}"};
inline constexpr ErrorTemplate kNotOwnersJob{
    absl::StatusCode::kPermissionDenied, "JOB_AGENT_JOB_NOT_FOUND",
    "uid {uid} has no job {slurm_job} here"};

// Reports.
inline constexpr ErrorTemplate kHasEnded{absl::StatusCode::kPermissionDenied,
                                         "JOB_AGENT_JOB_HAS_ENDED",
                                         "the job has ended"};
inline constexpr ErrorTemplate kNotRegistered{
    absl::StatusCode::kFailedPrecondition, "JOB_AGENT_NOT_REGISTERED",
    "the agent has not registered"};
inline constexpr ErrorTemplate kJoinsNoJob{
    absl::StatusCode::kFailedPrecondition, "JOB_AGENT_JOINS_NO_JOB",
    "the job does not join another job, or its agent has not registered"};
inline constexpr ErrorTemplate kNotBatch{
    absl::StatusCode::kFailedPrecondition, "JOB_AGENT_NOT_BATCH",
    "the job is not a batch job, or its agent has not registered"};
inline constexpr ErrorTemplate kJoinedJobEnded{
    absl::StatusCode::kFailedPrecondition, "JOB_AGENT_JOINED_JOB_ENDED",
    "the job that it joins has ended"};
inline constexpr ErrorTemplate kSharesNode{
    absl::StatusCode::kFailedPrecondition, "JOB_AGENT_SHARES_NODE",
    "Slurm gave it node \"{node}\", which the job that it joins has: expected "
    "others"};

// Lines for the service log.
inline constexpr ErrorTemplate kTooManyLogLines{
    absl::StatusCode::kInvalidArgument, "LOG_REPORT_TOO_MANY_LINES",
    "a report has {lines} lines: expected at most {max}"};
inline constexpr ErrorTemplate kHookReportNotRoot{
    absl::StatusCode::kPermissionDenied, "LOG_REPORT_NOT_ROOT",
    "a report of hooks has a credential of uid {uid}: expected 0"};
inline constexpr ErrorTemplate kHookReportNodeUnknown{
    absl::StatusCode::kPermissionDenied, "LOG_REPORT_NODE_UNKNOWN",
    "a report of hooks names node \"{node}\", which Slurm does not have"};
inline constexpr ErrorTemplate kHookReportNodeNotReadYet{
    absl::StatusCode::kUnavailable, "LOG_REPORT_NODE_NOT_READ",
    "Slurm does not respond, and node \"{node}\" is not known yet"};
inline constexpr ErrorTemplate kHookReportWrongNode{
    absl::StatusCode::kPermissionDenied, "LOG_REPORT_NODE_WRONG",
    "a report of hooks comes from \"{peer}\": expected node \"{node}\", "
    "\"{address}\""};

// Apps and images of a job that starts.
inline constexpr ErrorTemplate kAppNotOffered{
    absl::StatusCode::kFailedPrecondition, "JOB_APP_NOT_OFFERED",
    "app \"{app}\" is not offered now"};
inline constexpr ErrorTemplate kImageNotOffered{
    absl::StatusCode::kFailedPrecondition, "JOB_IMAGE_NOT_OFFERED",
    "image \"{image}\" is not offered now"};

// Files of the backend.
inline constexpr ErrorTemplate kInvalidJobCa{
    absl::StatusCode::kInvalidArgument, "JOB_CA_INVALID",
    "job CA \"{path}\" is invalid: expected a key and its certificate"};
inline constexpr ErrorTemplate kInvalidTicketSeed{
    absl::StatusCode::kInvalidArgument, "JOB_TICKET_SEED_INVALID",
    "ticket seed \"{path}\" is invalid: expected {bytes} bytes in base64url"};

inline constexpr ErrorTemplate kTicketInvalid{
    absl::StatusCode::kUnauthenticated, "JOB_TICKET_INVALID",
    "the ticket is not signed by this backend"};
inline constexpr ErrorTemplate kTicketExpired{
    absl::StatusCode::kUnauthenticated, "JOB_TICKET_EXPIRED",
    "the ticket has expired"};
inline constexpr ErrorTemplate kTicketTooOld{
    absl::StatusCode::kFailedPrecondition, "JOB_TICKET_TOO_OLD",
    "the ticket was issued before this backend started"};
inline constexpr ErrorTemplate kTicketUsed{
    absl::StatusCode::kFailedPrecondition, "JOB_TICKET_USED",
    "the ticket was used before"};
inline constexpr ErrorTemplate kTooManyTickets{
    absl::StatusCode::kResourceExhausted, "JOB_TICKETS_TOO_MANY",
    "too many tickets were used in the last seconds"};

// Runs of `carme vet`.
inline constexpr ErrorTemplate kVetRunOfSeveralNodes{
    absl::StatusCode::kInvalidArgument, "VET_RUN_OF_SEVERAL_NODES",
    "root reports {nodes} nodes: expected the sender's own node"};
inline constexpr ErrorTemplate kVetRunOfOtherNode{
    absl::StatusCode::kPermissionDenied, "VET_RUN_OF_OTHER_NODE",
    "node \"{node}\" is not one of the job"};
inline constexpr ErrorTemplate kNoNodeHistory{
    absl::StatusCode::kPermissionDenied, "NO_NODE_HISTORY",
    "this backend has no history of nodes"};

// [metrics].
inline constexpr MessageTemplate kTooManyMetricsServers{
    "{found} addresses: expected at most {max}"};
inline constexpr MessageTemplate kMetricsAddressInvalid{
    "\"{address}\": expected host:port"};
inline constexpr MessageTemplate kMetricsCaMissing{
    "needs \"ca\" and \"server_name\", with which agents verify the server"};

}  // namespace carme::backend::job_agent_messages

#endif  // CARME_BACKEND_JOBS_AGENTS_MESSAGES_H_
