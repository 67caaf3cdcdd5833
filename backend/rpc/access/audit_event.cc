#include "backend/rpc/access/audit_event.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/server_context.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/rpc/access/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

std::string MachineOf(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated()) return "";
  std::vector<grpc::string_ref> names =
      context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME);
  if (names.empty()) {
    names = context.FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME);
  }
  return absl::StrJoin(names, ",",
                       [](std::string* out, const grpc::string_ref& name) {
                         out->append(name.data(), name.size());
                       });
}

AuditEvent EventOf(const grpc::ServerContextBase& context, const Caller& caller,
                   std::string act) {
  return {.act = std::move(act),
          .actor = caller.session.username,
          .actor_uid = caller.session.uid,
          .source = caller.client_address,
          .machine = MachineOf(*context.auth_context()),
          .request_id = caller.request_id,
          .session_id = caller.session.id.value()};
}

AuditEvent Outcome(AuditEvent event, const absl::Status& status) {
  event.decision = status.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse;
  event.result = status.ok()
                     ? "ok"
                     : absl::StrCat(absl::StatusCodeToString(status.code()),
                                    ": ", status.message());
  return event;
}

absl::Status RecordChange(AuditLog* audit, const AuditEvent& event) {
  const AuditLog::Ticket ticket = audit->Record(event);
  if (event.decision == AuditDecision::kRefuse || audit->Wait(ticket).ok()) {
    return absl::OkStatus();
  }
  return MakeError(access_messages::kAuditEntryPending);
}

AuditEvent HandshakeRefusal(std::string_view why) {
  return Outcome({.act = "handshake"},
                 absl::UnauthenticatedError(std::string(why)));
}

}  // namespace carme::backend
