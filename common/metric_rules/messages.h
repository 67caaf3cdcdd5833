// Errors of files with rules, and of files with samples.
#ifndef CARME_COMMON_METRIC_RULES_MESSAGES_H_
#define CARME_COMMON_METRIC_RULES_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::metric_rules::rule_messages {

inline constexpr MessageTemplate kExpected{"{subject}: expected {expected}"};
inline constexpr MessageTemplate kUnknownKey{
    "unknown key \"{key}\": expected {expected}"};
inline constexpr MessageTemplate kMissingKey{
    "key \"{key}\" of {subject} is missing"};
inline constexpr MessageTemplate kBadValue{
    "\"{key}\" is \"{value}\": expected {expected}"};
inline constexpr MessageTemplate kNameTwice{"a second rule \"{name}\""};
inline constexpr MessageTemplate kTooMany{
    "\"{key}\" has {count} entries: expected 1 to {max}"};
inline constexpr MessageTemplate kNotALanguage{
    "language \"{tag}\": expected 2 to 8 letters, digits and \"-\", such as "
    "\"de\""};
inline constexpr MessageTemplate kNoTranslation{
    "translation \"{tag}\" has neither \"title\" nor \"remedy\""};
inline constexpr MessageTemplate kSeriesOrEvent{
    "a condition: expected either \"series\" or \"event\""};
inline constexpr MessageTemplate kNoLimit{
    "a condition has neither \"below\" nor \"above\": it would always hold"};
inline constexpr MessageTemplate kNotOfEvents{
    "\"{key}\" does not apply to events"};
inline constexpr MessageTemplate kMedianNeedsGroups{
    "\"relative_to\" compares groups, but \"per\" is missing"};
inline constexpr MessageTemplate kWithinNeedsPer{
    "\"within\" has \"{label}\", which \"per\" does not have"};
inline constexpr MessageTemplate kNodeNeedsPer{
    "a rule that concerns nodes needs \"node\" in \"per\""};

inline constexpr ErrorTemplate kSamplesInvalid{
    absl::StatusCode::kInvalidArgument, "METRIC_SAMPLES_INVALID",
    "{path}:{line}: {problem}"};
inline constexpr MessageTemplate kNoHeader{
    "expected the header time_s,node,name,labels,value"};
inline constexpr MessageTemplate kNotARow{
    "expected time_s,node,name,labels,value: {cause}"};
inline constexpr MessageTemplate kFieldCount{"the row has {count} fields"};
inline constexpr MessageTemplate kNotANumber{"\"{text}\" is not a number"};
inline constexpr MessageTemplate kTooManyRows{"more than {max} rows"};

}  // namespace carme::metric_rules::rule_messages

#endif  // CARME_COMMON_METRIC_RULES_MESSAGES_H_
