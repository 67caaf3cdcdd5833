// Fills an audit event with the caller, the source address and the certificate
// of a call.
//
//   AuditEvent event = EventOf(*context, caller, "submit");
//   event.subject = job.id.value();
//   audit.Record(Outcome(std::move(event), status));
#ifndef CARME_BACKEND_RPC_ACCESS_AUDIT_EVENT_H_
#define CARME_BACKEND_RPC_ACCESS_AUDIT_EVENT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/audit_log.h"
#include "backend/rpc/access/caller.h"

namespace grpc {
class AuthContext;
class ServerContextBase;
}  // namespace grpc

namespace carme::backend {

// The certificate's URIs, else its DNS names, with commas between; "" without
// one. The chain is verified, but the name may belong to no Carme machine: use
// it in audit entries only.
std::string MachineOf(const grpc::AuthContext& context);

// REQUIRES: as CallerOf.
AuditEvent EventOf(const grpc::ServerContextBase& context, const Caller& caller,
                   std::string act);

// Adds the result: allowed and "ok", or refused with the status's code and
// message. An operation that was allowed and then failed also has its message.
AuditEvent Outcome(AuditEvent event, const absl::Status& status);

// Records the result of a change. After a successful change, waits until the
// entry is on disk. UNAVAILABLE, with a message for the caller: the entry could
// not be written. The response must then contain no secret.
absl::Status RecordChange(AuditLog* audit, const AuditEvent& event);

// A TLS handshake that failed, on either port. The peer is unknown.
AuditEvent HandshakeRefusal(std::string_view why);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_AUDIT_EVENT_H_
