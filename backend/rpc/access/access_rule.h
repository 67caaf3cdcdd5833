// Pure functions that decide by an rpc's `access` option whether a machine and
// a person may call it.
#ifndef CARME_BACKEND_RPC_ACCESS_ACCESS_RULE_H_
#define CARME_BACKEND_RPC_ACCESS_ACCESS_RULE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "carme/v1/access.pb.h"

namespace carme::backend {

enum class Port { kClients, kAgents };

// What the connection proves about the calling machine.
struct PeerIdentity {
  Port port = Port::kClients;
  bool is_frontend = false;
  bool is_proxy = false;
  bool is_cluster_backend = false;  // of a further cluster
  bool is_metrics = false;
};

// Whether this machine may call rpcs of this kind of caller. PERMISSION_DENIED.
absl::Status CheckMachine(v1::Caller caller, const PeerIdentity& peer);
// Whether the rpc requires a session or an access token.
bool NeedsSession(v1::Caller caller);
// Whether a person with this role may call the rpc. PERMISSION_DENIED.
absl::Status CheckRole(v1::Caller caller, Role role);
// Whether a token with these scopes may make the call. PERMISSION_DENIED.
absl::Status CheckScope(const v1::Access& access,
                        const std::vector<std::string>& scopes);
// Checks scope, role and reauthentication. PERMISSION_DENIED;
// FAILED_PRECONDITION with the reason REAUTHENTICATION_REQUIRED.
absl::Status CheckPerson(const v1::Access& access, const Session& session,
                         absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_ACCESS_RULE_H_
