// Errors of the configuration of `carme vet`.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_MESSAGES_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::vet::config_messages {

// What all errors begin with: where, then one of those below.
inline constexpr ErrorTemplate kAt{absl::StatusCode::kInvalidArgument,
                                   "VET_CONFIG_INVALID",
                                   "{path}:{line}: {problem}"};

inline constexpr MessageTemplate kTooLarge{
    "the file has more than {max} bytes"};
inline constexpr MessageTemplate kTooDeep{
    "lists and maps are nested more than {max} deep"};
inline constexpr MessageTemplate kTooManyNodes{
    "the file has more than {max} values"};
inline constexpr MessageTemplate kNotUtf8{"the file is not UTF-8"};
inline constexpr MessageTemplate kNotYaml{"not YAML: {problem}"};
inline constexpr MessageTemplate kEmpty{"the file is empty"};
inline constexpr MessageTemplate kSecondDocument{
    "a second document begins: expected one"};
inline constexpr MessageTemplate kAnchor{
    "anchors and aliases are not supported: write the value out"};
inline constexpr MessageTemplate kTag{
    "tag \"{tag}\" is not supported: write a plain value"};
inline constexpr MessageTemplate kMergeKey{
    "merge key \"<<\" is not supported: write the keys out"};
inline constexpr MessageTemplate kKeyNotText{
    "a key is a list or a map: expected a text"};
inline constexpr MessageTemplate kKeyTwice{"\"{key}\" is set twice"};

inline constexpr MessageTemplate kExpectedMap{"{subject}: expected a map"};
inline constexpr MessageTemplate kExpectedList{"{subject}: expected a list"};
inline constexpr MessageTemplate kExpectedText{"{subject}: expected a text"};
inline constexpr MessageTemplate kUnknownKey{
    "unknown key \"{key}\": expected {expected}"};
inline constexpr MessageTemplate kMissingKey{
    "key \"{key}\" of {subject} is missing"};
inline constexpr MessageTemplate kNoEvaluations{
    "\"evals\" is empty: nothing would be checked"};
inline constexpr MessageTemplate kTooManyEvaluations{
    "\"evals\" has more than {max} evaluations"};
inline constexpr MessageTemplate kUnknownType{
    "unknown type \"{type}\": expected {expected}"};
inline constexpr MessageTemplate kBadValue{
    "\"{key}\" is \"{value}\": expected {expected}"};
inline constexpr MessageTemplate kBadShape{"\"{key}\": expected {expected}"};
inline constexpr MessageTemplate kNotPrintable{
    "\"{key}\" has characters that cannot be shown"};
inline constexpr MessageTemplate kScheduler{
    "\"scheduler\" is \"{value}\": expected slurm or standalone"};

// Notes: the file is used, this part of it is not.
inline constexpr MessageTemplate kIgnored{
    "{path}:{line}: note: \"{key}\" is ignored: {reason}"};

inline constexpr ErrorTemplate kBaselineNotWritten{
    absl::StatusCode::kFailedPrecondition, "VET_BASELINE_NOT_WRITTEN",
    "baseline file \"{path}\" was not written: {cause}"};

}  // namespace carme::vet::config_messages

#endif  // CARME_SLURM_HOOKS_VET_CONFIG_MESSAGES_H_
