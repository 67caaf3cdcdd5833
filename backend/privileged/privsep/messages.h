// What a root program reports about accounts, files and its own start.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::privsep_messages {

inline constexpr ErrorTemplate kAccountLookUpFailed{
    absl::StatusCode::kUnavailable, "PRIVSEP_ACCOUNT_LOOK_UP_FAILED",
    "look up {subject}: {cause}"};

inline constexpr ErrorTemplate kNoSuchGroup{
    absl::StatusCode::kUnavailable, "PRIVSEP_NO_SUCH_GROUP",
    "look up {key} \"{group}\": no such group"};

inline constexpr ErrorTemplate kNoSuchUser{
    absl::StatusCode::kNotFound, "PRIVSEP_NO_SUCH_USER", "no user \"{name}\""};

inline constexpr ErrorTemplate kPeerIsRoot{
    absl::StatusCode::kInvalidArgument, "PRIVSEP_PEER_IS_ROOT",
    "peer_user \"{name}\" is root: expected the backend's user"};

inline constexpr ErrorTemplate kAccountUnknown{
    absl::StatusCode::kPermissionDenied, "PRIVSEP_ACCOUNT_UNKNOWN",
    "user \"{user}\" does not exist on this host"};

inline constexpr ErrorTemplate kHomeNotAbsolute{
    absl::StatusCode::kPermissionDenied, "PRIVSEP_HOME_NOT_ABSOLUTE",
    "user \"{user}\" has home directory \"{directory}\": expected an absolute "
    "path"};

inline constexpr ErrorTemplate kCapabilitiesMissing{
    absl::StatusCode::kPermissionDenied, "PRIVSEP_CAPABILITIES_MISSING",
    "started with capabilities {capabilities}: expected CAP_SETUID, CAP_SETGID "
    "and CAP_KILL among them"};

inline constexpr ErrorTemplate kSocketPathTooLong{
    absl::StatusCode::kInvalidArgument, "PRIVSEP_SOCKET_PATH_TOO_LONG",
    "socket \"{path}\": expected less than {max} bytes"};

inline constexpr ErrorTemplate kNotASocket{
    absl::StatusCode::kAlreadyExists, "PRIVSEP_NOT_A_SOCKET",
    "\"{path}\" exists and is not a socket"};

inline constexpr ErrorTemplate kSocketInUse{
    absl::StatusCode::kAlreadyExists, "PRIVSEP_SOCKET_IN_USE",
    "another process listens on \"{path}\""};

inline constexpr ErrorTemplate kOneSocketExpected{
    absl::StatusCode::kInvalidArgument, "PRIVSEP_ONE_SOCKET_EXPECTED",
    "LISTEN_FDS is {sockets}: expected 1"};

inline constexpr ErrorTemplate kNotRootsFile{
    absl::StatusCode::kFailedPrecondition, "PRIVSEP_NOT_ROOTS_FILE",
    "\"{path}\" belongs to uid {owner} with mode {mode}: expected owner root "
    "and no write access for others"};

}  // namespace carme::privsep_messages

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_MESSAGES_H_
