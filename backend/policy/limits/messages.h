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

inline constexpr TextTemplate kTemplatesUnavailable{
    "LIMIT_TEMPLATES_UNAVAILABLE",
    "templates cannot be looked up now: try again"};

inline constexpr TextTemplate kQosNameInvalid{
    "LIMIT_QOS_NAME_INVALID",
    "qos is not a valid name: expected at most {max} letters, digits and "
    "\"_-.\""};

inline constexpr TextTemplate kTemplateNodes{
    "LIMIT_TEMPLATE_NODES",
    "job requests {found} nodes: template \"{template}\" allows at most {max}"};

inline constexpr TextTemplate kTemplateNodesJoined{
    "LIMIT_TEMPLATE_NODES_JOINED",
    "job requests {found} nodes with those of the job that it joins: template "
    "\"{template}\" allows at most {max}"};

inline constexpr TextTemplate kTemplateCpus{
    "LIMIT_TEMPLATE_CPUS",
    "job requests {found} CPUs on a node: template \"{template}\" allows at "
    "most {max}"};

inline constexpr TextTemplate kTemplateMemory{
    "LIMIT_TEMPLATE_MEMORY",
    "job requests {found} MiB of memory on a node: template \"{template}\" "
    "allows at most {max}"};

inline constexpr TextTemplate kTemplateGpus{
    "LIMIT_TEMPLATE_GPUS",
    "job requests {found} GPUs on a node: template \"{template}\" allows at "
    "most {max}"};

inline constexpr TextTemplate kTemplateNoGpus{
    "LIMIT_TEMPLATE_NO_GPUS",
    "job requests {found} GPUs on a node: template \"{template}\" allows none"};

inline constexpr TextTemplate kTemplateGpuTypes{
    "LIMIT_TEMPLATE_GPU_TYPES",
    "GPU type is \"{found}\": template \"{template}\" allows only {known}"};

inline constexpr TextTemplate kTemplateField{
    "LIMIT_TEMPLATE_FIELD",
    "{field} is \"{found}\": template \"{template}\" allows only "
    "\"{expected}\""};

inline constexpr TextTemplate kTemplateWalltime{
    "LIMIT_TEMPLATE_WALLTIME",
    "walltime is {found} min: template \"{template}\" allows at most {max} "
    "min"};

inline constexpr TextTemplate kTemplateDefaultQos{
    "LIMIT_TEMPLATE_DEFAULT_QOS",
    "QOS is \"{found}\": template \"{template}\" allows only your default: "
    "leave it empty"};

inline constexpr TextTemplate kTemplateQos{
    "LIMIT_TEMPLATE_QOS",
    "QOS is \"{found}\": template \"{template}\" allows only \"{expected}\""};

inline constexpr TextTemplate kTemplateArray{
    "LIMIT_TEMPLATE_ARRAY",
    "array runs {more} jobs at once beside {jobs} by this template: template "
    "\"{template}\" allows at most {max}"};

inline constexpr TextTemplate kTemplateJobs{
    "LIMIT_TEMPLATE_JOBS",
    "user has {jobs} jobs by this template that have not ended: template "
    "\"{template}\" allows at most {max}"};

inline constexpr TextTemplate kTemplatesRetired{
    "LIMIT_TEMPLATES_RETIRED",
    "every template for jobs without a project is retired: ask an "
    "administrator to attach one"};

inline constexpr TextTemplate kTemplatesOfProjectRetired{
    "LIMIT_TEMPLATES_OF_PROJECT_RETIRED",
    "every template of the project is retired: ask an administrator to attach "
    "one"};

inline constexpr TextTemplate kTemplateNotForUsers{
    "LIMIT_TEMPLATE_NOT_FOR_USERS",
    "template is not one for jobs without a project: expected one of: {known}"};

inline constexpr TextTemplate kTemplateNotOfProject{
    "LIMIT_TEMPLATE_NOT_OF_PROJECT",
    "template is not one of the project: expected one of: {known}"};

inline constexpr TextTemplate kTemplateSiteImages{
    "LIMIT_TEMPLATE_SITE_IMAGES",
    "environment \"{environment}\" has an image that is not the site's: "
    "template \"{template}\" allows only {known}"};

inline constexpr TextTemplate kTemplateImages{
    "LIMIT_TEMPLATE_IMAGES",
    "environment \"{environment}\" has image \"{image}\": template "
    "\"{template}\" allows only {known}"};

// A limit of a user, a group, a role or a project. `problem` is one of the
// sentences below.
inline constexpr TextTemplate kQuotaExceeded{
    "LIMIT_QUOTA_EXCEEDED",
    "{problem}: {source} allows at most {max} ({limit})"};

inline constexpr TextTemplate kQuotaOfWalltimeExceeded{
    "LIMIT_QUOTA_OF_WALLTIME_EXCEEDED",
    "{problem}: {source} allows at most {max} min ({limit})"};

inline constexpr TextTemplate kQuotaWalltime{"LIMIT_QUOTA_WALLTIME",
                                             "walltime is {found} min"};

inline constexpr TextTemplate kQuotaGpus{"LIMIT_QUOTA_GPUS",
                                         "job requests {wanted} GPUs"};

inline constexpr TextTemplate kQuotaGpusJoined{
    "LIMIT_QUOTA_GPUS_JOINED",
    "job requests {wanted} GPUs beside {joined} of the job that it joins"};

inline constexpr TextTemplate kQuotaNodes{"LIMIT_QUOTA_NODES",
                                          "job requests {wanted} nodes"};

inline constexpr TextTemplate kQuotaNodesJoined{
    "LIMIT_QUOTA_NODES_JOINED",
    "job requests {wanted} nodes beside {joined} of the job that it joins"};

inline constexpr TextTemplate kQuotaGpusAtOnce{
    "LIMIT_QUOTA_GPUS_AT_ONCE", "job requests {wanted} GPUs at once"};

inline constexpr TextTemplate kQuotaNodesAtOnce{
    "LIMIT_QUOTA_NODES_AT_ONCE", "job requests {wanted} nodes at once"};

inline constexpr TextTemplate kQuotaGpusOfUser{
    "LIMIT_QUOTA_GPUS_OF_USER",
    "your jobs that have not ended have {used} GPUs and this one requests "
    "{wanted}"};

inline constexpr TextTemplate kQuotaGpusOfMember{
    "LIMIT_QUOTA_GPUS_OF_MEMBER",
    "your jobs in the project that have not ended have {used} GPUs and this "
    "one requests {wanted}"};

inline constexpr TextTemplate kQuotaGpusOfProject{
    "LIMIT_QUOTA_GPUS_OF_PROJECT",
    "the project's jobs that have not ended have {used} GPUs and this one "
    "requests {wanted}"};

inline constexpr TextTemplate kQuotaNodesOfUser{
    "LIMIT_QUOTA_NODES_OF_USER",
    "your jobs that have not ended have {used} nodes and this one requests "
    "{wanted}"};

inline constexpr TextTemplate kQuotaNodesOfMember{
    "LIMIT_QUOTA_NODES_OF_MEMBER",
    "your jobs in the project that have not ended have {used} nodes and this "
    "one requests {wanted}"};

inline constexpr TextTemplate kQuotaNodesOfProject{
    "LIMIT_QUOTA_NODES_OF_PROJECT",
    "the project's jobs that have not ended have {used} nodes and this one "
    "requests {wanted}"};

inline constexpr TextTemplate kQuotaArrayAtOnce{
    "LIMIT_QUOTA_ARRAY_AT_ONCE", "array requests {wanted} tasks at once"};

inline constexpr TextTemplate kQuotaArray{"LIMIT_QUOTA_ARRAY",
                                          "array has {wanted} tasks"};

inline constexpr TextTemplate kQuotaJobsOfUser{
    "LIMIT_QUOTA_JOBS_OF_USER", "user has {used} jobs that have not ended"};

inline constexpr TextTemplate kQuotaJobsOfMember{
    "LIMIT_QUOTA_JOBS_OF_MEMBER",
    "user has in the project {used} jobs that have not ended"};

inline constexpr TextTemplate kQuotaJobsOfProject{
    "LIMIT_QUOTA_JOBS_OF_PROJECT",
    "project has {used} jobs that have not ended"};

inline constexpr TextTemplate kQuotaQueuedOfUser{
    "LIMIT_QUOTA_QUEUED_OF_USER", "user has {used} jobs that wait"};

inline constexpr TextTemplate kQuotaQueuedOfMember{
    "LIMIT_QUOTA_QUEUED_OF_MEMBER",
    "user has in the project {used} jobs that wait"};

inline constexpr TextTemplate kQuotaQueuedOfProject{
    "LIMIT_QUOTA_QUEUED_OF_PROJECT", "project has {used} jobs that wait"};

inline constexpr TextTemplate kQuotaSubmittedByUser{
    "LIMIT_QUOTA_SUBMITTED_BY_USER",
    "user has {used} jobs submitted today (UTC)"};

inline constexpr TextTemplate kQuotaSubmittedByMember{
    "LIMIT_QUOTA_SUBMITTED_BY_MEMBER",
    "user has in the project {used} jobs submitted today (UTC)"};

inline constexpr TextTemplate kQuotaSubmittedByProject{
    "LIMIT_QUOTA_SUBMITTED_BY_PROJECT",
    "project has {used} jobs submitted today (UTC)"};

inline constexpr TextTemplate kQuotaWithArrayAtOnce{
    "LIMIT_QUOTA_WITH_ARRAY_AT_ONCE",
    "{problem} and this array has {wanted} at once"};

inline constexpr TextTemplate kQuotaWithArray{
    "LIMIT_QUOTA_WITH_ARRAY", "{problem} and this array has {wanted}"};

inline constexpr TextTemplate kQuotaHoursADay{
    "LIMIT_QUOTA_HOURS_A_DAY", "job may use {hours} GPU-hours a day"};

inline constexpr TextTemplate kQuotaHoursAMonth{
    "LIMIT_QUOTA_HOURS_A_MONTH", "job may use {hours} GPU-hours a month"};

inline constexpr TextTemplate kQuotaHoursInAll{
    "LIMIT_QUOTA_HOURS_IN_ALL", "job may use {hours} GPU-hours in all"};

inline constexpr TextTemplate kQuotaHoursADayOfUser{
    "LIMIT_QUOTA_HOURS_A_DAY_OF_USER",
    "your jobs have used, or may still use, {used} GPU-hours a day and this "
    "one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursADayOfMember{
    "LIMIT_QUOTA_HOURS_A_DAY_OF_MEMBER",
    "your jobs in the project have used, or may still use, {used} GPU-hours a "
    "day and this one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursADayOfProject{
    "LIMIT_QUOTA_HOURS_A_DAY_OF_PROJECT",
    "the project's jobs have used, or may still use, {used} GPU-hours a day "
    "and this one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursAMonthOfUser{
    "LIMIT_QUOTA_HOURS_A_MONTH_OF_USER",
    "your jobs have used, or may still use, {used} GPU-hours a month and this "
    "one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursAMonthOfMember{
    "LIMIT_QUOTA_HOURS_A_MONTH_OF_MEMBER",
    "your jobs in the project have used, or may still use, {used} GPU-hours a "
    "month and this one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursAMonthOfProject{
    "LIMIT_QUOTA_HOURS_A_MONTH_OF_PROJECT",
    "the project's jobs have used, or may still use, {used} GPU-hours a month "
    "and this one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursInAllOfUser{
    "LIMIT_QUOTA_HOURS_IN_ALL_OF_USER",
    "your jobs have used, or may still use, {used} GPU-hours in all and this "
    "one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursInAllOfMember{
    "LIMIT_QUOTA_HOURS_IN_ALL_OF_MEMBER",
    "your jobs in the project have used, or may still use, {used} GPU-hours in "
    "all and this one up to {wanted}"};

inline constexpr TextTemplate kQuotaHoursInAllOfProject{
    "LIMIT_QUOTA_HOURS_IN_ALL_OF_PROJECT",
    "the project's jobs have used, or may still use, {used} GPU-hours in all "
    "and this one up to {wanted}"};

// Whose limit it is.
inline constexpr TextTemplate kSourceJoinedJob{"LIMIT_SOURCE_JOINED_JOB",
                                               "the job that it joins"};
inline constexpr TextTemplate kSourceGroup{"LIMIT_SOURCE_GROUP",
                                           "group {group}"};
inline constexpr TextTemplate kSourceProject{"LIMIT_SOURCE_PROJECT",
                                             "project {project}"};
inline constexpr TextTemplate kSourceUser{"LIMIT_SOURCE_USER", "user {user}"};
inline constexpr TextTemplate kSourceMembers{
    "LIMIT_SOURCE_MEMBERS", "each member of project {project}"};
inline constexpr TextTemplate kSourceMember{"LIMIT_SOURCE_MEMBER",
                                            "user {user} in project {project}"};

}  // namespace carme::backend::policy_limit_messages

#endif  // CARME_BACKEND_POLICY_LIMITS_MESSAGES_H_
