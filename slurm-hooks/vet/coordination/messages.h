// Errors between the coordinator and the workers of `carme vet`, and what is
// found between nodes.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_MESSAGES_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::vet::coordination_messages {

inline constexpr ErrorTemplate kClosed{absl::StatusCode::kUnavailable,
                                       "VET_CONNECTION_CLOSED",
                                       "the connection was closed"};
inline constexpr ErrorTemplate kTooLong{
    absl::StatusCode::kInvalidArgument, "VET_PACKET_TOO_LONG",
    "a packet has {size} bytes: expected at most {max}"};
inline constexpr ErrorTemplate kForged{
    absl::StatusCode::kPermissionDenied, "VET_PACKET_FORGED",
    "a packet has a wrong authentication code"};
inline constexpr ErrorTemplate kMalformed{absl::StatusCode::kInvalidArgument,
                                          "VET_PACKET_MALFORMED",
                                          "a packet is malformed"};
inline constexpr ErrorTemplate kTimedOut{absl::StatusCode::kDeadlineExceeded,
                                         "VET_CONNECTION_TIMED_OUT",
                                         "no answer within {seconds} s"};

inline constexpr ErrorTemplate kMunge{absl::StatusCode::kUnavailable,
                                      "VET_MUNGE", "MUNGE: {cause}"};
inline constexpr ErrorTemplate kOtherUser{
    absl::StatusCode::kPermissionDenied, "VET_OTHER_USER",
    "the other side runs as user id {found}: expected {expected}"};
inline constexpr ErrorTemplate kOtherRun{
    absl::StatusCode::kPermissionDenied, "VET_OTHER_RUN",
    "the other side belongs to another run of carme vet"};
inline constexpr ErrorTemplate kNoCoordinator{
    absl::StatusCode::kUnavailable, "VET_NO_COORDINATOR",
    "the coordinator at {address} was not reached within {seconds} s: {cause}"};
inline constexpr ErrorTemplate kNoPort{
    absl::StatusCode::kUnavailable, "VET_NO_PORT",
    "none of the ports {ports} can be listened on"};
inline constexpr ErrorTemplate kNoNode{
    absl::StatusCode::kUnavailable, "VET_NO_NODE",
    "no node has connected within {seconds} s: the step was not started, or a "
    "firewall keeps nodes from this host"};
inline constexpr ErrorTemplate kCoordinatorLost{
    absl::StatusCode::kUnavailable, "VET_COORDINATOR_LOST",
    "the coordinator was lost: {cause}"};
inline constexpr ErrorTemplate kWorkerNotStarted{
    absl::StatusCode::kInternal, "VET_WORKER_NOT_STARTED",
    "the worker of this node was not started: {cause}"};

inline constexpr MessageTemplate kNeverConnected{
    "the node has not connected within {seconds} s"};
inline constexpr MessageTemplate kLost{
    "the node was lost during the run: {cause}"};
inline constexpr MessageTemplate kNoAnswer{
    "the node has not answered within {seconds} s"};
inline constexpr MessageTemplate kHang{"timed out after {seconds} s"};
inline constexpr MessageTemplate kCrashed{
    "the evaluation was ended by signal {signal}"};
inline constexpr MessageTemplate kNoResult{
    "the evaluation ended with exit code {code} and no result"};
inline constexpr MessageTemplate kStopped{
    "stopped, as the other node has failed"};
inline constexpr MessageTemplate kCouldNotRun{"could not run: {cause}"};

inline constexpr MessageTemplate kClockOff{
    "the clock is off by {found}: expected at most {expected}"};
inline constexpr MessageTemplate kAlone{"needs two nodes that answer"};
inline constexpr MessageTemplate kNoBaseline{
    "no baseline of node type \"{type}\": run carme vet --learn FILE"};
inline constexpr MessageTemplate kBelowBaseline{
    "{metric} is {percent} % of the baseline of node type \"{type}\": expected "
    "at least {expected} %"};

inline constexpr MessageTemplate kLinkUnreachable{"link {a}–{b}: {cause}"};
inline constexpr MessageTemplate kLinkSlow{
    "link {a}–{b}: bandwidth {found}/s: expected at least {expected}/s"};
inline constexpr MessageTemplate kLinkSlowByNccl{
    "link {a}–{b}: bandwidth {found}/s by NCCL: expected more than "
    "{expected}/s"};
inline constexpr MessageTemplate kLinkLatency{
    "link {a}–{b}: latency {found}: expected at most {expected}"};
inline constexpr MessageTemplate kLinksOfNode{
    "{bad} of {all} links are bad; {first}"};
inline constexpr MessageTemplate kLinkConnect{
    "{address} port {port} was not reached: {cause}"};
inline constexpr MessageTemplate kLinkBroken{"the connection broke: {cause}"};
inline constexpr MessageTemplate kOfNode{"{node}: {cause}"};
inline constexpr MessageTemplate kNoResultOfPair{"no result"};
inline constexpr MessageTemplate kFewNodesWithGpus{
    "needs two nodes with GPUs that can be measured"};
inline constexpr MessageTemplate kGivenUp{
    "not measured any more: the first {count} pairs failed"};

}  // namespace carme::vet::coordination_messages

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_MESSAGES_H_
