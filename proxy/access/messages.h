// Why the proxy rejects a grant, a cookie or a ticket, or one of its own files.
#ifndef CARME_PROXY_ACCESS_MESSAGES_H_
#define CARME_PROXY_ACCESS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::proxy::proxy_access_messages {

inline constexpr ErrorTemplate kGrantMalformed{
    absl::StatusCode::kInvalidArgument, "PROXY_ACCESS_GRANT_MALFORMED",
    "grant: malformed"};

inline constexpr ErrorTemplate kGrantSignature{
    absl::StatusCode::kPermissionDenied, "PROXY_ACCESS_GRANT_SIGNATURE",
    "grant: invalid signature"};

inline constexpr ErrorTemplate kGrantIncomplete{
    absl::StatusCode::kInvalidArgument, "PROXY_ACCESS_GRANT_INCOMPLETE",
    "grant: expected a job, a host, a session and an expiry"};

inline constexpr ErrorTemplate kGrantRight{absl::StatusCode::kInvalidArgument,
                                           "PROXY_ACCESS_GRANT_RIGHT",
                                           "grant: expected the right \"use\""};

inline constexpr ErrorTemplate kCookieInvalid{
    absl::StatusCode::kUnauthenticated, "PROXY_ACCESS_COOKIE_INVALID",
    "job cookie: invalid"};

inline constexpr ErrorTemplate kFileAccess{
    absl::StatusCode::kPermissionDenied, "PROXY_ACCESS_FILE_ACCESS",
    "\"{path}\": expected a file that only this process's user can access"};

inline constexpr ErrorTemplate kFileLocked{absl::StatusCode::kUnavailable,
                                           "PROXY_ACCESS_FILE_LOCKED",
                                           "\"{path}\" is locked"};

inline constexpr ErrorTemplate kTicketsLocked{
    absl::StatusCode::kResourceExhausted, "PROXY_ACCESS_TICKETS_LOCKED",
    "used tickets: the file is locked"};

inline constexpr ErrorTemplate kTicketTooOld{
    absl::StatusCode::kUnauthenticated, "PROXY_ACCESS_TICKET_TOO_OLD",
    "ticket: issued before the table of used tickets was created"};

inline constexpr ErrorTemplate kTicketUsed{absl::StatusCode::kUnauthenticated,
                                           "PROXY_ACCESS_TICKET_USED",
                                           "ticket: used before"};

inline constexpr ErrorTemplate kTooManyTickets{
    absl::StatusCode::kResourceExhausted, "PROXY_ACCESS_TOO_MANY_TICKETS",
    "ticket: too many at once"};

inline constexpr ErrorTemplate kCookieKey{
    absl::StatusCode::kInvalidArgument, "PROXY_ACCESS_COOKIE_KEY",
    "cookie key \"{path}\": expected 64 hexadecimal digits; delete the file to "
    "create a new key"};

inline constexpr ErrorTemplate kTicketInvalid{
    absl::StatusCode::kUnauthenticated, "PROXY_ACCESS_TICKET_INVALID",
    "ticket: {cause}"};

}  // namespace carme::proxy::proxy_access_messages

#endif  // CARME_PROXY_ACCESS_MESSAGES_H_
