// The metadata in which the access guard passes the caller to the handlers,
// like REMOTE_USER of a web server. A client cannot send it: the guard refuses
// calls that contain such a key, and replaces the values.
#ifndef CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_
#define CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_

#include <map>
#include <string>
#include <string_view>

#include "backend/rpc/access/caller.h"

namespace carme::backend {

// The prefix of the keys that the guard sets.
inline constexpr std::string_view kCallerPrefix = "carme-caller-";

// The keys that a client sends.
inline constexpr char kSessionKey[] = "carme-session";
inline constexpr char kTokenKey[] = "carme-token";
inline constexpr char kAssertionKey[] = "carme-assertion";
inline constexpr char kRequestIdKey[] = "carme-request-id";
inline constexpr char kClientAddressKey[] = "carme-client-address";
inline constexpr char kUserAgentKey[] = "carme-user-agent";

// Absent keys are empty fields.
std::map<std::string, std::string> WriteCaller(const Caller& caller);
Caller ReadCaller(const std::map<std::string, std::string>& metadata);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_
