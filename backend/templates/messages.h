// The messages about templates (common/message.h).
#ifndef CARME_BACKEND_TEMPLATES_MESSAGES_H_
#define CARME_BACKEND_TEMPLATES_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::template_messages {

inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "TEMPLATE_NOT_FOUND", "template not found"};
inline constexpr ErrorTemplate kNoSuchProject{absl::StatusCode::kNotFound,
                                              "TEMPLATE_PROJECT_NOT_FOUND",
                                              "project not found"};
inline constexpr ErrorTemplate kNameTaken{
    absl::StatusCode::kAlreadyExists, "TEMPLATE_NAME_TAKEN",
    "a template with this name exists: choose another name"};
inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "TEMPLATE_LIMIT_REACHED",
    "there are {templates} templates: expected fewer than {max}"};
inline constexpr ErrorTemplate kTooManyOfProject{
    absl::StatusCode::kResourceExhausted, "TEMPLATE_PROJECT_LIMIT_REACHED",
    "they have {templates} templates: expected fewer than {max}"};
inline constexpr ErrorTemplate kRetired{
    absl::StatusCode::kFailedPrecondition, "TEMPLATE_RETIRED",
    "the template is retired: expected one in use"};

// Settings.
inline constexpr ErrorTemplate kInvalidText{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_TEXT_INVALID",
    "{field}: expected {min} to {max} printable characters"};
inline constexpr ErrorTemplate kBlankName{absl::StatusCode::kInvalidArgument,
                                          "TEMPLATE_NAME_BLANK",
                                          "name: expected words"};
inline constexpr ErrorTemplate kInvalidSlurmName{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_SLURM_NAME_INVALID",
    "{field}: expected at most {max} letters, digits and \"_-.\""};
inline constexpr ErrorTemplate kInvalidNumber{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_NUMBER_INVALID",
    "{field}: expected 0 to {max}"};
inline constexpr ErrorTemplate kInvalidTime{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_TIME_INVALID",
    "{field}: expected whole minutes, at most {max_hours} h"};
inline constexpr ErrorTemplate kInvalidIdleTime{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_IDLE_TIME_INVALID",
    "{field}: expected whole seconds, {min_seconds} s to {max_hours} h"};
inline constexpr ErrorTemplate kTooManyValues{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_VALUE_LIMIT_EXCEEDED",
    "{field}: expected at most {max}"};
inline constexpr ErrorTemplate kEmptyGpuType{absl::StatusCode::kInvalidArgument,
                                             "TEMPLATE_GPU_TYPE_EMPTY",
                                             "gpuTypes: expected no empty one"};
inline constexpr ErrorTemplate kGpusWithoutGpus{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_NO_GPUS_WITH_GPUS",
    "noGpus: expected neither GPU types nor a number of them beside it"};
inline constexpr ErrorTemplate kExtendedTooShort{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_EXTENDED_WALLTIME_TOO_SHORT",
    "maxExtendedWalltime: expected at least maxWalltime, and that given"};
inline constexpr ErrorTemplate kOneIdleTime{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_IDLE_TIME_INCOMPLETE",
    "idleStop: expected both idleWarning and idleStop, or neither"};
inline constexpr ErrorTemplate kGpuIdleWithoutGpus{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_WITHOUT_GPUS",
    "gpuIdle: expected no policy about GPUs beside noGpus"};
inline constexpr ErrorTemplate kGpuIdleThreshold{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_THRESHOLD_INVALID",
    "gpuIdle.thresholdPercent: expected 1 to 100"};
inline constexpr ErrorTemplate kGpuIdleWithoutWarning{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_WITHOUT_WARNING",
    "gpuIdle.warnAfter: expected a time, because users are warned first"};
inline constexpr ErrorTemplate kGpuIdleAction{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_ACTION_INVALID",
    "gpuIdle.action: expected ACTION_WARN_ONLY, ACTION_STOP or ACTION_SHRINK"};
inline constexpr ErrorTemplate kGpuIdleActsNever{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_ACTION_MISSING",
    "gpuIdle.actAfter: expected no time for ACTION_WARN_ONLY"};
inline constexpr ErrorTemplate kGpuIdleActsTooSoon{
    absl::StatusCode::kInvalidArgument, "TEMPLATE_GPU_IDLE_ACTS_TOO_SOON",
    "gpuIdle.actAfter: expected at least {min_seconds} s more than warnAfter"};

// Notes on proposed templates.
inline constexpr MessageTemplate kOneNode{"1 node: {nodes}."};
inline constexpr MessageTemplate kNodes{"{count} nodes: {nodes}."};
inline constexpr MessageTemplate kAndMore{"{nodes} and {more} more"};
inline constexpr MessageTemplate kOutOfService{"Out of service now: {nodes}."};
inline constexpr MessageTemplate kDrained{"The partition is drained now."};
inline constexpr MessageTemplate kInactive{"The partition is inactive now."};
inline constexpr MessageTemplate kDown{"The partition is down now."};
inline constexpr MessageTemplate kUntypedGpus{
    "GPUs without a type cannot be asked for apart: {nodes}."};

}  // namespace carme::backend::template_messages

#endif  // CARME_BACKEND_TEMPLATES_MESSAGES_H_
