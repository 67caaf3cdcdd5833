// Errors of the configuration of `carme vet`.
#ifndef CARME_SLURM_HOOKS_VET_CONFIG_MESSAGES_H_
#define CARME_SLURM_HOOKS_VET_CONFIG_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::vet::config_messages {

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
inline constexpr MessageTemplate kOnlyBetweenNodes{
    "\"{key}\" needs topology internode or full"};
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
