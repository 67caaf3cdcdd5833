// The messages of backend/node_history.
#ifndef CARME_BACKEND_NODE_HISTORY_MESSAGES_H_
#define CARME_BACKEND_NODE_HISTORY_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::backend::node_history_messages {

inline constexpr ErrorTemplate kRunIdInvalid{
    absl::StatusCode::kInvalidArgument, "NODE_RUN_ID_INVALID",
    "the id of the run is invalid: expected 1 to 64 letters, digits, \"-\" "
    "and \"_\""};
inline constexpr ErrorTemplate kNodeCountOfRunInvalid{
    absl::StatusCode::kInvalidArgument, "NODE_COUNT_OF_RUN_INVALID",
    "the run has {nodes} nodes: expected 1 to {max}"};
inline constexpr ErrorTemplate kTooManyEvaluations{
    absl::StatusCode::kInvalidArgument, "NODE_TOO_MANY_EVALUATIONS",
    "the run has {evaluations} evaluations of node \"{node}\": expected at "
    "most {max}"};
inline constexpr ErrorTemplate kNodeOfRunUnknown{
    absl::StatusCode::kNotFound, "NODE_OF_RUN_UNKNOWN",
    "Slurm has no node \"{node}\""};
inline constexpr ErrorTemplate kNodesNotReadYet{
    absl::StatusCode::kUnavailable, "NODES_NOT_READ_YET",
    "slurmctld does not respond: the nodes are not known yet"};
inline constexpr ErrorTemplate kNodeWithoutHistory{
    absl::StatusCode::kNotFound, "NODE_WITHOUT_HISTORY",
    "Slurm has no node \"{node}\", and it has no history"};
inline constexpr ErrorTemplate kNoDrainUser{
    absl::StatusCode::kFailedPrecondition, "NODE_RULES_NO_DRAIN_USER",
    "drain_user of [node_rules] is not set"};

// Entries of the history.
inline constexpr TextTemplate kRunPassed{"NODE_ENTRY_RUN_PASSED",
                                         "passed: {evaluations}"};
inline constexpr TextTemplate kNodeAvoided{"NODE_ENTRY_AVOIDED",
                                           "new jobs avoid the node: {reason}"};
inline constexpr TextTemplate kNotified{"NODE_ENTRY_NOTIFIED",
                                        "administrators notified: {reason}"};
inline constexpr TextTemplate kRevetRequested{
    "NODE_ENTRY_VET_REQUESTED",
    "a run of \"carme vet\" was requested: {reason}"};
inline constexpr TextTemplate kNodeDrained{"NODE_ENTRY_DRAINED",
                                           "drained: {reason}"};
inline constexpr TextTemplate kNodeDrainedAlready{
    "NODE_ENTRY_DRAINED_ALREADY",
    "not drained by the rule, the node is drained already: {reason}"};
inline constexpr TextTemplate kDrainRefused{"NODE_ENTRY_DRAIN_REFUSED",
                                            "not drained: {cause} ({reason})"};
inline constexpr TextTemplate kNodeResumed{
    "NODE_ENTRY_RESUMED",
    "resumed: the site's run passed what the drain was for"};
inline constexpr TextTemplate kResumeRefused{"NODE_ENTRY_RESUME_REFUSED",
                                             "not resumed: {cause}"};
inline constexpr TextTemplate kDrainChanged{
    "NODE_ENTRY_DRAIN_CHANGED",
    "the drain by rule \"{rule}\" was ended or changed outside of the rules"};

// Notifications of administrators.
inline constexpr TextTemplate kNoticeOfRule{
    "NODE_NOTICE_OF_RULE", "Node {node}: rule \"{rule}\" holds: {reason}."};
inline constexpr TextTemplate kNoticeRevet{
    "NODE_NOTICE_REVET",
    "Node {node}: rule \"{rule}\" holds: {reason}. Drain it, and "
    "carme-vet.timer vets it when it has no jobs; without the timer, run "
    "\"carme vet --report\" on it as root."};
inline constexpr TextTemplate kNoticeDrained{
    "NODE_NOTICE_DRAINED",
    "Node {node} was drained by rule \"{rule}\": {reason}. It is resumed when "
    "\"carme vet --report\" passes on it as root."};
inline constexpr TextTemplate kNoticeDrainRefused{
    "NODE_NOTICE_DRAIN_REFUSED",
    "Node {node}: rule \"{rule}\" holds ({reason}), but the node was not "
    "drained: {cause}. Decide yourself, with \"carmectl node drain\"."};
inline constexpr TextTemplate kNoticeResumed{
    "NODE_NOTICE_RESUMED",
    "Node {node} passed the site's run and was resumed."};
inline constexpr TextTemplate kNoticeResumeRefused{
    "NODE_NOTICE_RESUME_REFUSED",
    "Node {node} passed the site's run, but was not resumed: {cause}. Decide "
    "yourself, with \"carmectl node resume\"."};

}  // namespace carme::backend::node_history_messages

#endif  // CARME_BACKEND_NODE_HISTORY_MESSAGES_H_
