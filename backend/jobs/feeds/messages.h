// The messages in notifications and on cards about a job's start and end
// (common/message.h).
#ifndef CARME_BACKEND_JOBS_FEEDS_MESSAGES_H_
#define CARME_BACKEND_JOBS_FEEDS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_feed_messages {

// Notifications of the job's user. A period is added to those that end in a
// cause.
inline constexpr MessageTemplate kStarted{"Your job \"{job}\" has started."};
inline constexpr MessageTemplate kCompleted{"Your job \"{job}\" has ended."};
inline constexpr MessageTemplate kWasEnded{"Your job \"{job}\" was ended."};
inline constexpr MessageTemplate kWasEndedBecause{
    "Your job \"{job}\" was ended: {cause}"};
inline constexpr MessageTemplate kNotStarted{
    "Your job \"{job}\" was not started."};
inline constexpr MessageTemplate kNotStartedBecause{
    "Your job \"{job}\" was not started: {cause}"};
inline constexpr MessageTemplate kEndedUnknown{
    "Your job \"{job}\" has ended in an unknown way."};
inline constexpr MessageTemplate kEndedUnknownBecause{
    "Your job \"{job}\" has ended in an unknown way: {cause}"};
inline constexpr MessageTemplate kFailed{"Your job \"{job}\" has failed."};
inline constexpr MessageTemplate kFailedBecause{
    "Your job \"{job}\" has failed: {cause}"};

// The same of a job with additional nodes.
inline constexpr MessageTemplate kNodesWereEnded{
    "The job \"{job}\" that adds nodes to another job was ended."};
inline constexpr MessageTemplate kNodesWereEndedBecause{
    "The job \"{job}\" that adds nodes to another job was ended: {cause}"};
inline constexpr MessageTemplate kNodesNotStarted{
    "The job \"{job}\" that adds nodes to another job was not started."};
inline constexpr MessageTemplate kNodesNotStartedBecause{
    "The job \"{job}\" that adds nodes to another job was not started: "
    "{cause}"};
inline constexpr MessageTemplate kNodesEndedUnknown{
    "The job \"{job}\" that adds nodes to another job has ended in an unknown "
    "way."};
inline constexpr MessageTemplate kNodesEndedUnknownBecause{
    "The job \"{job}\" that adds nodes to another job has ended in an unknown "
    "way: {cause}"};
inline constexpr MessageTemplate kNodesFailed{
    "The job \"{job}\" that adds nodes to another job has failed."};
inline constexpr MessageTemplate kNodesFailedBecause{
    "The job \"{job}\" that adds nodes to another job has failed: {cause}"};

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
