// The metadata by which the access guard hands a caller to the handlers, as a
// web server does with REMOTE_USER. A client cannot send it: the guard refuses
// calls that carry such a key, and replaces whatever is there.
#ifndef CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_
#define CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_

#include <map>
#include <string>
#include <string_view>

#include "backend/rpc/access/caller.h"

namespace carme::backend {

// Every key of ours begins with it.
inline constexpr std::string_view kCallerPrefix = "carme-caller-";

// What a client does send.
inline constexpr char kSessionKey[] = "carme-session";
inline constexpr char kTokenKey[] = "carme-token";
inline constexpr char kRequestIdKey[] = "carme-request-id";
inline constexpr char kClientAddressKey[] = "carme-client-address";
inline constexpr char kUserAgentKey[] = "carme-user-agent";

// Caller → metadata → Caller; what is absent is nobody's.
std::map<std::string, std::string> WriteCaller(const Caller& caller);
Caller ReadCaller(const std::map<std::string, std::string>& metadata);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CALLER_METADATA_H_
