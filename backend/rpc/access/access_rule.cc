#include "backend/rpc/access/access_rule.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/protobuf/error_details.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status Refuse(std::string_view reason, const std::string& message) {
  absl::Status status = absl::PermissionDeniedError(message);
  SetErrorInfo(reason, {}, &status);
  return status;
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
    case v1::CALLER_AGENT:
      may = peer.port == Port::kAgents;
      break;
    default:
      break;
  }
  return may ? absl::OkStatus()
             : Refuse("MACHINE_NOT_ALLOWED",
                      "this machine is not allowed to call this method");
}

bool NeedsSession(v1::Caller caller) {
  switch (caller) {
    case v1::CALLER_PUBLIC:
    case v1::CALLER_PROXY:
    case v1::CALLER_AGENT:
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
      return Refuse("ROLE_REQUIRED",
                    "only support and administrators may do this");
    case v1::CALLER_MANAGER:
      if (role == Role::kManager || role == Role::kAdmin) {
        return absl::OkStatus();
      }
      return Refuse("ROLE_REQUIRED",
                    "only managers and administrators may do this");
    case v1::CALLER_ADMIN:
      if (role == Role::kAdmin) return absl::OkStatus();
      return Refuse("ROLE_REQUIRED", "only administrators may do this");
    default:
      return Refuse("ROLE_REQUIRED", "this method is not available to users");
  }
}

absl::Status CheckScope(const v1::Access& access,
                        const std::vector<std::string>& scopes) {
  if (access.scope().empty()) {
    return Refuse("ACCESS_TOKEN_NOT_ALLOWED", "no access token may do this");
  }
  const auto has = [&](const std::string& scope) {
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
  };
  if (has(access.scope()) || std::any_of(access.other_scopes().begin(),
                                         access.other_scopes().end(), has)) {
    return absl::OkStatus();
  }
  return Refuse("SCOPE_REQUIRED",
                absl::StrCat("this access token has the scopes \"",
                             absl::StrJoin(scopes, " "), "\": expected \"",
                             access.scope(), "\" among them"));
}

absl::Status CheckPerson(const v1::Access& access, const Session& session,
                         absl::Time now) {
  const bool is_script = !session.scopes.empty();
  if (is_script) RETURN_IF_ERROR(CheckScope(access, session.scopes));
  RETURN_IF_ERROR(CheckRole(access.caller(), session.role));
  const bool is_proved = is_script ? access.reauthentication_at_token_creation()
                                   : now < session.reauthenticated_until;
  if (access.requires_reauthentication() && !is_proved) {
    absl::Status status =
        absl::FailedPreconditionError("confirm your second factor to continue");
    SetErrorInfo("REAUTHENTICATION_REQUIRED", {}, &status);
    return status;
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
