#include "backend/rpc/access/access_rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "backend/rpc/access/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status RoleRequired(const MessageTemplate& cause) {
  return MakeError(access_messages::kRoleRequired,
                   {{"cause", FormatMessage(cause)}});
}

}  // namespace

absl::Status CheckMachine(v1::Caller caller, const PeerIdentity& peer) {
  bool may = false;
  switch (caller) {
    case v1::CALLER_PUBLIC:
    case v1::CALLER_USER:
    case v1::CALLER_SUPPORT:
    case v1::CALLER_MANAGER:
    case v1::CALLER_ADMIN:
      may = peer.port == Port::kClients && peer.is_frontend;
      break;
    case v1::CALLER_PROXY:
      may = peer.port == Port::kClients && peer.is_proxy;
      break;
    case v1::CALLER_BACKEND:
      may = peer.port == Port::kClients && peer.is_cluster_backend;
      break;
    case v1::CALLER_METRICS:
      may = peer.port == Port::kClients && peer.is_metrics;
      break;
    case v1::CALLER_AGENT:
      may = peer.port == Port::kAgents;
      break;
    default:
      break;
  }
  return may ? absl::OkStatus()
             : MakeError(access_messages::kMachineNotAllowed);
}

bool NeedsSession(v1::Caller caller) {
  switch (caller) {
    case v1::CALLER_PUBLIC:
    case v1::CALLER_PROXY:
    case v1::CALLER_AGENT:
    case v1::CALLER_BACKEND:
    case v1::CALLER_JOB:
    case v1::CALLER_METRICS:
      return false;
    default:
      return true;
  }
}

absl::Status CheckRole(v1::Caller caller, Role role) {
  switch (caller) {
    case v1::CALLER_USER:
      return absl::OkStatus();
    case v1::CALLER_SUPPORT:
      if (ReadsEverything(role)) return absl::OkStatus();
      return RoleRequired(access_messages::kOnlySupport);
    case v1::CALLER_MANAGER:
      if (role == Role::kManager || role == Role::kAdmin) {
        return absl::OkStatus();
      }
      return RoleRequired(access_messages::kOnlyManagers);
    case v1::CALLER_ADMIN:
      if (role == Role::kAdmin) return absl::OkStatus();
      return RoleRequired(access_messages::kOnlyAdministrators);
    default:
      return RoleRequired(access_messages::kNotForUsers);
  }
}

absl::Status CheckScope(const v1::Access& access,
                        const std::vector<std::string>& scopes) {
  if (access.any_scope()) return absl::OkStatus();
  if (access.scope().empty()) {
    return MakeError(access_messages::kTokenNotAllowed);
  }
  const auto has = [&](const std::string& scope) {
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
  };
  if (has(access.scope()) || std::any_of(access.other_scopes().begin(),
                                         access.other_scopes().end(), has)) {
    return absl::OkStatus();
  }
  return MakeError(
      access_messages::kScopeRequired,
      {{"scopes", absl::StrJoin(scopes, " ")}, {"scope", access.scope()}});
}

absl::Status CheckPerson(const v1::Access& access, const Session& session,
                         absl::Time now) {
  const bool is_script = !session.scopes.empty();
  if (is_script) RETURN_IF_ERROR(CheckScope(access, session.scopes));
  RETURN_IF_ERROR(CheckRole(access.caller(), session.role));
  const bool is_proved = is_script ? access.reauthentication_at_token_creation()
                                   : now < session.reauthenticated_until;
  if (access.requires_reauthentication() && !is_proved) {
    return MakeError(access_messages::kReauthenticationRequired);
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
