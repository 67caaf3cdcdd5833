// The messages about the state of the site's parts (common/message.h).
#ifndef CARME_BACKEND_HEALTH_MESSAGES_H_
#define CARME_BACKEND_HEALTH_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::health_messages {

inline constexpr ErrorTemplate kDatabaseNotWritable{
    absl::StatusCode::kUnavailable, "HEALTH_DATABASE_NOT_WRITABLE",
    "the database cannot be written"};

inline constexpr ErrorTemplate kSlurmNotPolled{
    absl::StatusCode::kUnavailable, "HEALTH_SLURM_NOT_POLLED",
    "Slurm was not polled within a minute"};

inline constexpr ErrorTemplate kImpersonatorUnavailable{
    absl::StatusCode::kUnavailable, "HEALTH_IMPERSONATOR_UNAVAILABLE",
    "the impersonator does not respond"};

inline constexpr MessageTemplate kNodesTakeNoJobs{
    "{missing} of {total} nodes take no jobs"};

inline constexpr MessageTemplate kDirectoryServersDown{
    "{failing} of {total} servers do not respond"};

inline constexpr MessageTemplate kDiskAlmostFull{
    "the disk of \"{directory}\" is almost full: {free} MiB free"};

inline constexpr MessageTemplate kAuditLogFails{
    "entries cannot be written, so changes are refused: {problem}"};

inline constexpr MessageTemplate kProxiesNotConnected{
    "{missing} of {total} proxies are not connected"};

inline constexpr MessageTemplate kAgentPortRefuses{
    "refuses connections, the newest from {address}, which has as many as one "
    "address may have"};

inline constexpr MessageTemplate kCertificatesExpired{"expired: {names}"};

inline constexpr MessageTemplate kCertificatesExpireSoon{
    "expire soon: {names}"};

inline constexpr MessageTemplate kIdentityBackendNever{
    "no connection since the start: no app can be opened; see [identity]"};

inline constexpr MessageTemplate kIdentityBackendSilent{
    "connection lost: soon no app can be opened"};

inline constexpr MessageTemplate kIdentityBackendLost{
    "connection lost: no app can be opened; open apps continue"};

inline constexpr MessageTemplate kSlurmdbdDown{"does not respond"};

inline constexpr MessageTemplate kSlurmdbdHidesJobs{
    "slurmdbd shows the backend's user no jobs: see PrivateData in "
    "slurmdbd.conf"};

inline constexpr MessageTemplate kNodesOutdated{
    "slurmctld does not respond; this is the state that it reported last"};

inline constexpr MessageTemplate kNoDirectoryServer{"no server responds"};

inline constexpr MessageTemplate kAuditLogSlow{
    "entries arrive faster than the disk takes them"};

inline constexpr MessageTemplate kProxyNotConnected{
    "not connected to the backend"};

inline constexpr MessageTemplate kNoProxyConnected{
    "no proxy is connected to the backend"};

}  // namespace carme::backend::health_messages

#endif  // CARME_BACKEND_HEALTH_MESSAGES_H_
