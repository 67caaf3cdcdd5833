// Errors of carmectl's commands.
#ifndef CARME_BACKEND_CARMECTL_COMMANDS_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_COMMANDS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::command_messages {

inline constexpr ErrorTemplate kNotATime{
    absl::StatusCode::kInvalidArgument, "COMMAND_NOT_A_TIME",
    "{option} is \"{value}\": expected a time such as \"2026-11-21\" or "
    "\"2026-11-21T10:00:00Z\""};

inline constexpr ErrorTemplate kNotAHash{
    absl::StatusCode::kInvalidArgument, "COMMAND_NOT_A_HASH",
    "--head is \"{value}\": expected 64 hexadecimal digits"};

inline constexpr ErrorTemplate kOutputNotWritten{
    absl::StatusCode::kDataLoss, "COMMAND_OUTPUT_NOT_WRITTEN",
    "standard output cannot be written"};

inline constexpr ErrorTemplate kAuditInvalid{
    absl::StatusCode::kDataLoss, "COMMAND_AUDIT_INVALID", "audit log: {cause}"};

inline constexpr ErrorTemplate kOwnerNotFound{
    absl::StatusCode::kNotFound, "COMMAND_OWNER_NOT_FOUND",
    "user \"{name}\" not found: name the backend's user with --owner"};

inline constexpr ErrorTemplate kOwnerNeedsRoot{
    absl::StatusCode::kInvalidArgument, "COMMAND_OWNER_NEEDS_ROOT",
    "--owner can only be used by root"};

inline constexpr ErrorTemplate kNotARole{
    absl::StatusCode::kInvalidArgument, "COMMAND_NOT_A_ROLE",
    "\"{name}\" is not a role: expected one of {roles}"};

inline constexpr ErrorTemplate kNotRoleName{absl::StatusCode::kInvalidArgument,
                                            "COMMAND_NOT_ROLE_NAME",
                                            "\"{text}\" is not ROLE=NAME"};

inline constexpr ErrorTemplate kDoctorFindings{
    absl::StatusCode::kFailedPrecondition, "COMMAND_DOCTOR_FINDINGS",
    "{errors} errors, {warnings} warnings"};

inline constexpr MessageTemplate kRulesValid{"{path}: {count} valid rules"};
inline constexpr MessageTemplate kFinding{
    "\n{severity}: {title} (rule {rule}{group})"};
inline constexpr MessageTemplate kFindingGroup{", {name} {value}"};
inline constexpr MessageTemplate kFindingTime{
    "  from {from} to {to}, for {held}"};
inline constexpr MessageTemplate kCitedEvent{"  {subject} at {time}"};
inline constexpr MessageTemplate kFindingOfNode{
    "  recorded in the history of the node"};
inline constexpr MessageTemplate kCitedSamples{
    "  {subject}: mean {mean}, {min} to {max} ({limit})"};
inline constexpr MessageTemplate kFindingCount{"\n{count} findings"};

inline constexpr ErrorTemplate kInvalidState{
    absl::StatusCode::kInvalidArgument, "COMMAND_INVALID_STATE",
    "--state is \"{value}\": expected submitting, pending, starting, ready or "
    "stopping"};

inline constexpr ErrorTemplate kNoActiveJob{absl::StatusCode::kNotFound,
                                            "COMMAND_NO_ACTIVE_JOB",
                                            "active job \"{job}\" not found"};

inline constexpr ErrorTemplate kInvalidRole{
    absl::StatusCode::kInvalidArgument, "COMMAND_INVALID_ROLE",
    "role is \"{role}\": expected backend, frontend, proxy, "
    "metrics or cluster"};

inline constexpr ErrorTemplate kImportFailed{
    absl::StatusCode::kFailedPrecondition, "COMMAND_IMPORT_FAILED",
    "{failed} of {steps} steps failed: correct the file or the cause and "
    "import it again"};

inline constexpr ErrorTemplate kInvalidFile{absl::StatusCode::kInvalidArgument,
                                            "COMMAND_INVALID_FILE",
                                            "\"{file}\": {cause}"};

inline constexpr ErrorTemplate kInvalidScope{
    absl::StatusCode::kInvalidArgument, "COMMAND_INVALID_SCOPE",
    "--scope is \"{value}\": expected role, group, project, user or member"};

inline constexpr ErrorTemplate kInvalidMaximum{
    absl::StatusCode::kInvalidArgument, "COMMAND_INVALID_MAXIMUM",
    "the maximum is \"{value}\": expected a number or \"unlimited\""};

inline constexpr ErrorTemplate kNoSuchState{absl::StatusCode::kInvalidArgument,
                                            "COMMAND_NO_SUCH_STATE",
                                            "no such state"};

inline constexpr ErrorTemplate kInvalidLogLevel{
    absl::StatusCode::kInvalidArgument, "COMMAND_INVALID_LOG_LEVEL",
    "the level is \"{value}\": expected \"info\", \"warning\" or \"error\""};

inline constexpr ErrorTemplate kNoImage{absl::StatusCode::kNotFound,
                                        "COMMAND_NO_IMAGE",
                                        "image \"{image}\" not found"};

inline constexpr ErrorTemplate kNoAccountsCreated{
    absl::StatusCode::kInvalidArgument, "COMMAND_NO_ACCOUNTS_CREATED",
    "Carme creates no accounts: they are in the site's directory. Use --ldif "
    "to print entries for the directory's administrator"};

inline constexpr ErrorTemplate kArchiveWithoutTable{
    absl::StatusCode::kDataLoss, "COMMAND_ARCHIVE_WITHOUT_TABLE",
    "\"{path}\" has no entry with the hash {hash}, after which the table "
    "begins"};

inline constexpr ErrorTemplate kArchiveWithoutNext{
    absl::StatusCode::kDataLoss, "COMMAND_ARCHIVE_WITHOUT_NEXT",
    "\"{path}\" has no entry with the hash {hash}, after which the next "
    "begins"};

inline constexpr ErrorTemplate kNotAVetLine{
    absl::StatusCode::kInvalidArgument, "COMMAND_NOT_A_VET_LINE",
    "{path}:{line}: expected a line of \"carme vet --json\""};
inline constexpr ErrorTemplate kNoVetLines{
    absl::StatusCode::kInvalidArgument, "COMMAND_NO_VET_LINES",
    "{path}: no results: expected the output of \"carme vet --json\""};
inline constexpr MessageTemplate kVetRunRecorded{
    "{nodes} nodes recorded, {failed} with failures"};
inline constexpr MessageTemplate kNodeStateNow{"{node}: {state}"};
inline constexpr MessageTemplate kNodeStateOfRule{" (rule {rule})"};
inline constexpr MessageTemplate kNodeReason{"  Slurm: {state}{reason}"};
inline constexpr MessageTemplate kNodeRule{
    "  {rule}: {action} after {count} in {window}"};

}  // namespace carme::carmectl::command_messages

#endif  // CARME_BACKEND_CARMECTL_COMMANDS_MESSAGES_H_
