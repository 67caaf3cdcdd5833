// The caller of an rpc, as the access guard authenticated it.
#ifndef CARME_BACKEND_RPC_ACCESS_CALLER_H_
#define CARME_BACKEND_RPC_ACCESS_CALLER_H_

#include <string>

#include "backend/identity/session.h"

namespace grpc {
class ServerContextBase;
}

namespace carme::backend {

struct Caller {
  Session session;             // empty in public, proxy and agent rpcs
  std::string request_id;      // from the gateway, or a new one
  std::string client_address;  // from the gateway; otherwise ""
  std::string user_agent;      // at most 200 bytes
};

// REQUIRES: called in a handler of a server that the access guard protects.
Caller CallerOf(const grpc::ServerContextBase& context);

// The peer's literal address without port, e.g. "10.77.0.11"; "" when unknown.
std::string PeerAddress(const grpc::ServerContextBase& context);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CALLER_H_
