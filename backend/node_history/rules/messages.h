// Errors of files with rules about nodes.
#ifndef CARME_BACKEND_NODE_HISTORY_RULES_MESSAGES_H_
#define CARME_BACKEND_NODE_HISTORY_RULES_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::node_rule_messages {

inline constexpr MessageTemplate kUnknownKey{
    "unknown key \"{key}\": expected {expected}"};
inline constexpr MessageTemplate kMissingKey{
    "key \"{key}\" of {subject} is missing"};
inline constexpr MessageTemplate kBadValue{
    "\"{key}\" is \"{value}\": expected {expected}"};
inline constexpr MessageTemplate kNotA{"{subject}: expected {expected}"};
inline constexpr MessageTemplate kTooMany{
    "\"{key}\" has {count} entries: expected 1 to {max}"};
inline constexpr MessageTemplate kNameTwice{"a second rule \"{name}\""};
inline constexpr MessageTemplate kDrainNotBySite{
    "a rule that drains counts source \"{source}\", which jobs and their users "
    "can cause: expected prolog_vet or site_vet"};
inline constexpr MessageTemplate kReasonOfDrainOnly{
    "\"reason\" applies to rules with the action drain"};
inline constexpr MessageTemplate kMoreUsersThanRuns{
    "\"users\" is {users}, but \"count\" is {count}: the rule would never "
    "hold"};

}  // namespace carme::backend::node_rule_messages

#endif  // CARME_BACKEND_NODE_HISTORY_RULES_MESSAGES_H_
