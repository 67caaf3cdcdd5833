// The messages in notifications and on cards about a job's start and end
// (common/message.h).
#ifndef CARME_BACKEND_JOBS_FEEDS_MESSAGES_H_
#define CARME_BACKEND_JOBS_FEEDS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_feed_messages {

// Notifications of the job's user.
inline constexpr TextTemplate kStarted{"JOB_NOTIFICATION_STARTED",
                                       "Your job \"{job}\" has started."};
inline constexpr TextTemplate kCompleted{"JOB_NOTIFICATION_COMPLETED",
                                         "Your job \"{job}\" has ended."};
inline constexpr TextTemplate kWasEnded{"JOB_NOTIFICATION_WAS_ENDED",
                                        "Your job \"{job}\" was ended."};
inline constexpr TextTemplate kWasEndedBecause{
    "JOB_NOTIFICATION_WAS_ENDED_BECAUSE",
    "Your job \"{job}\" was ended: {cause}."};
inline constexpr TextTemplate kNotStarted{
    "JOB_NOTIFICATION_NOT_STARTED", "Your job \"{job}\" was not started."};
inline constexpr TextTemplate kNotStartedBecause{
    "JOB_NOTIFICATION_NOT_STARTED_BECAUSE",
    "Your job \"{job}\" was not started: {cause}."};
inline constexpr TextTemplate kEndedUnknown{
    "JOB_NOTIFICATION_ENDED_UNKNOWN",
    "Your job \"{job}\" has ended in an unknown way."};
inline constexpr TextTemplate kEndedUnknownBecause{
    "JOB_NOTIFICATION_ENDED_UNKNOWN_BECAUSE",
    "Your job \"{job}\" has ended in an unknown way: {cause}."};
inline constexpr TextTemplate kFailed{"JOB_NOTIFICATION_FAILED",
                                      "Your job \"{job}\" has failed."};
inline constexpr TextTemplate kFailedBecause{
    "JOB_NOTIFICATION_FAILED_BECAUSE",
    "Your job \"{job}\" has failed: {cause}."};

// The same of a job with additional nodes.
inline constexpr TextTemplate kNodesWereEnded{
    "JOB_NOTIFICATION_NODES_WERE_ENDED",
    "The job \"{job}\" that adds nodes to another job was ended."};
inline constexpr TextTemplate kNodesWereEndedBecause{
    "JOB_NOTIFICATION_NODES_WERE_ENDED_BECAUSE",
    "The job \"{job}\" that adds nodes to another job was ended: {cause}."};
inline constexpr TextTemplate kNodesNotStarted{
    "JOB_NOTIFICATION_NODES_NOT_STARTED",
    "The job \"{job}\" that adds nodes to another job was not started."};
inline constexpr TextTemplate kNodesNotStartedBecause{
    "JOB_NOTIFICATION_NODES_NOT_STARTED_BECAUSE",
    "The job \"{job}\" that adds nodes to another job was not started: "
    "{cause}."};
inline constexpr TextTemplate kNodesEndedUnknown{
    "JOB_NOTIFICATION_NODES_ENDED_UNKNOWN",
    "The job \"{job}\" that adds nodes to another job has ended in an unknown "
    "way."};
inline constexpr TextTemplate kNodesEndedUnknownBecause{
    "JOB_NOTIFICATION_NODES_ENDED_UNKNOWN_BECAUSE",
    "The job \"{job}\" that adds nodes to another job has ended in an unknown "
    "way: {cause}."};
inline constexpr TextTemplate kNodesFailed{
    "JOB_NOTIFICATION_NODES_FAILED",
    "The job \"{job}\" that adds nodes to another job has failed."};
inline constexpr TextTemplate kNodesFailedBecause{
    "JOB_NOTIFICATION_NODES_FAILED_BECAUSE",
    "The job \"{job}\" that adds nodes to another job has failed: {cause}."};

// How a job ended, on the page that replaces its app.
inline constexpr MessageTemplate kAppExited{"its app exited"};
inline constexpr MessageTemplate kStopped{"it was stopped"};
inline constexpr MessageTemplate kTimeLimit{"it reached its walltime"};
inline constexpr MessageTemplate kItFailed{"it failed"};
inline constexpr MessageTemplate kItFailedBecause{"it failed: {cause}"};
inline constexpr MessageTemplate kNodeFailed{"one of its nodes failed"};
inline constexpr MessageTemplate kRejected{"Slurm rejected it"};
inline constexpr MessageTemplate kOutOfMemory{
    "it used more memory than it requested"};
inline constexpr MessageTemplate kEndUnknown{"how it ended is not known"};
inline constexpr MessageTemplate kReasonAndAdvice{"{reason}. {advice}"};

}  // namespace carme::backend::job_feed_messages

#endif  // CARME_BACKEND_JOBS_FEEDS_MESSAGES_H_
