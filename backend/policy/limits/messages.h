// The messages about limits (common/message.h).
#ifndef CARME_BACKEND_POLICY_LIMITS_MESSAGES_H_
#define CARME_BACKEND_POLICY_LIMITS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::policy_limit_messages {

inline constexpr ErrorTemplate kStepInvalid{
    absl::StatusCode::kInvalidArgument, "EXTENSION_STEP_INVALID",
    "by is {by}: expected whole minutes, 1 to {max}"};

inline constexpr ErrorTemplate kNotOffered{absl::StatusCode::kPermissionDenied,
                                           "EXTENSION_NOT_OFFERED",
                                           "extensions are not offered here"};

inline constexpr ErrorTemplate kLimitExceeded{
    absl::StatusCode::kPermissionDenied, "EXTENSION_LIMIT_EXCEEDED",
    "walltime would be {walltime}: {source} allows at most {max}"};

inline constexpr MessageTemplate kTemplatesUnavailable{
    "templates cannot be looked up now: try again"};

inline constexpr MessageTemplate kQosNameInvalid{
    "qos is not a valid name: expected at most {max} letters, digits and "
    "\"_-.\""};

inline constexpr MessageTemplate kTemplateNodes{
    "job requests {found} nodes: template \"{template}\" allows at most {max}"};

inline constexpr MessageTemplate kTemplateNodesJoined{
    "job requests {found} nodes with those of the job that it joins: template "
    "\"{template}\" allows at most {max}"};

inline constexpr MessageTemplate kTemplateCpus{
    "job requests {found} CPUs on a node: template \"{template}\" allows at "
    "most {max}"};

inline constexpr MessageTemplate kTemplateMemory{
    "job requests {found} MiB of memory on a node: template \"{template}\" "
    "allows at most {max}"};

inline constexpr MessageTemplate kTemplateGpus{
    "job requests {found} GPUs on a node: template \"{template}\" allows at "
    "most {max}"};

inline constexpr MessageTemplate kTemplateNoGpus{
    "job requests {found} GPUs on a node: template \"{template}\" allows none"};

inline constexpr MessageTemplate kTemplateGpuTypes{
    "GPU type is \"{found}\": template \"{template}\" allows only {known}"};

inline constexpr MessageTemplate kTemplateField{
    "{field} is \"{found}\": template \"{template}\" allows only "
    "\"{expected}\""};

inline constexpr MessageTemplate kTemplateWalltime{
    "walltime is {found} min: template \"{template}\" allows at most {max} "
    "min"};

inline constexpr MessageTemplate kTemplateDefaultQos{
    "QOS is \"{found}\": template \"{template}\" allows only your default: "
    "leave it empty"};

inline constexpr MessageTemplate kTemplateQos{
    "QOS is \"{found}\": template \"{template}\" allows only \"{expected}\""};

inline constexpr MessageTemplate kTemplateArray{
    "array runs {more} jobs at once beside {jobs} by this template: template "
    "\"{template}\" allows at most {max}"};

inline constexpr MessageTemplate kTemplateJobs{
    "user has {jobs} jobs by this template that have not ended: template "
    "\"{template}\" allows at most {max}"};

inline constexpr MessageTemplate kTemplatesRetired{
    "every template for jobs without a project is retired: ask an "
    "administrator to attach one"};

inline constexpr MessageTemplate kTemplatesOfProjectRetired{
    "every template of the project is retired: ask an administrator to attach "
    "one"};

inline constexpr MessageTemplate kTemplateNotForUsers{
    "template is not one for jobs without a project: expected one of: {known}"};

inline constexpr MessageTemplate kTemplateNotOfProject{
    "template is not one of the project: expected one of: {known}"};

inline constexpr MessageTemplate kTemplateSiteImages{
    "environment \"{environment}\" has an image that is not the site's: "
    "template \"{template}\" allows only {known}"};

inline constexpr MessageTemplate kTemplateImages{
    "environment \"{environment}\" has image \"{image}\": template "
    "\"{template}\" allows only {known}"};

// A limit of a user, a group, a role or a project. `problem` is one of the
// sentences below.
inline constexpr MessageTemplate kQuotaExceeded{
    "{problem}: {source} allows at most {max} ({limit})"};

inline constexpr MessageTemplate kQuotaOfWalltimeExceeded{
    "{problem}: {source} allows at most {max} min ({limit})"};

inline constexpr MessageTemplate kQuotaWalltime{"walltime is {found} min"};

inline constexpr MessageTemplate kQuotaGpus{"job requests {wanted} GPUs"};

inline constexpr MessageTemplate kQuotaGpusJoined{
    "job requests {wanted} GPUs beside {joined} of the job that it joins"};

inline constexpr MessageTemplate kQuotaNodes{"job requests {wanted} nodes"};

inline constexpr MessageTemplate kQuotaNodesJoined{
    "job requests {wanted} nodes beside {joined} of the job that it joins"};

inline constexpr MessageTemplate kQuotaGpusAtOnce{
    "job requests {wanted} GPUs at once"};

inline constexpr MessageTemplate kQuotaNodesAtOnce{
    "job requests {wanted} nodes at once"};

inline constexpr MessageTemplate kQuotaGpusOfUser{
    "your jobs that have not ended have {used} GPUs and this one requests "
    "{wanted}"};

inline constexpr MessageTemplate kQuotaGpusOfMember{
    "your jobs in the project that have not ended have {used} GPUs and this "
    "one requests {wanted}"};

inline constexpr MessageTemplate kQuotaGpusOfProject{
    "the project's jobs that have not ended have {used} GPUs and this one "
    "requests {wanted}"};

inline constexpr MessageTemplate kQuotaNodesOfUser{
    "your jobs that have not ended have {used} nodes and this one requests "
    "{wanted}"};

inline constexpr MessageTemplate kQuotaNodesOfMember{
    "your jobs in the project that have not ended have {used} nodes and this "
    "one requests {wanted}"};

inline constexpr MessageTemplate kQuotaNodesOfProject{
    "the project's jobs that have not ended have {used} nodes and this one "
    "requests {wanted}"};

inline constexpr MessageTemplate kQuotaArrayAtOnce{
    "array requests {wanted} tasks at once"};

inline constexpr MessageTemplate kQuotaArray{"array has {wanted} tasks"};

inline constexpr MessageTemplate kQuotaJobsOfUser{
    "user has {used} jobs that have not ended"};

inline constexpr MessageTemplate kQuotaJobsOfMember{
    "user has in the project {used} jobs that have not ended"};

inline constexpr MessageTemplate kQuotaJobsOfProject{
    "project has {used} jobs that have not ended"};

inline constexpr MessageTemplate kQuotaQueuedOfUser{
    "user has {used} jobs that wait"};

inline constexpr MessageTemplate kQuotaQueuedOfMember{
    "user has in the project {used} jobs that wait"};

inline constexpr MessageTemplate kQuotaQueuedOfProject{
    "project has {used} jobs that wait"};

inline constexpr MessageTemplate kQuotaSubmittedByUser{
    "user has {used} jobs submitted today (UTC)"};

inline constexpr MessageTemplate kQuotaSubmittedByMember{
    "user has in the project {used} jobs submitted today (UTC)"};

inline constexpr MessageTemplate kQuotaSubmittedByProject{
    "project has {used} jobs submitted today (UTC)"};

inline constexpr MessageTemplate kQuotaWithArrayAtOnce{
    "{problem} and this array has {wanted} at once"};

inline constexpr MessageTemplate kQuotaWithArray{
    "{problem} and this array has {wanted}"};

inline constexpr MessageTemplate kQuotaHoursADay{
    "job may use {hours} GPU-hours a day"};

inline constexpr MessageTemplate kQuotaHoursAMonth{
    "job may use {hours} GPU-hours a month"};

inline constexpr MessageTemplate kQuotaHoursInAll{
    "job may use {hours} GPU-hours in all"};

inline constexpr MessageTemplate kQuotaHoursADayOfUser{
    "your jobs have used, or may still use, {used} GPU-hours a day and this "
    "one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursADayOfMember{
    "your jobs in the project have used, or may still use, {used} GPU-hours a "
    "day and this one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursADayOfProject{
    "the project's jobs have used, or may still use, {used} GPU-hours a day "
    "and this one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursAMonthOfUser{
    "your jobs have used, or may still use, {used} GPU-hours a month and this "
    "one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursAMonthOfMember{
    "your jobs in the project have used, or may still use, {used} GPU-hours a "
    "month and this one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursAMonthOfProject{
    "the project's jobs have used, or may still use, {used} GPU-hours a month "
    "and this one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursInAllOfUser{
    "your jobs have used, or may still use, {used} GPU-hours in all and this "
    "one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursInAllOfMember{
    "your jobs in the project have used, or may still use, {used} GPU-hours in "
    "all and this one up to {wanted}"};

inline constexpr MessageTemplate kQuotaHoursInAllOfProject{
    "the project's jobs have used, or may still use, {used} GPU-hours in all "
    "and this one up to {wanted}"};

}  // namespace carme::backend::policy_limit_messages

#endif  // CARME_BACKEND_POLICY_LIMITS_MESSAGES_H_
