// What of an audit entry every handler knows: who calls, from where, with
// whose certificate.
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
// one. Verified, but not necessarily one of ours: for the record only.
std::string MachineOf(const grpc::AuthContext& context);

// REQUIRES: as CallerOf.
AuditEvent EventOf(const grpc::ServerContextBase& context, const Caller& caller,
                   std::string act);

// With what came of it: allowed and "ok", or refused with the status' code and
// words. An act that was allowed and failed is not OK either: its words say so.
AuditEvent Outcome(AuditEvent event, const absl::Status& status);

// Records what came of a change. One that was made is waited for until its
// entry is on the disk: UNAVAILABLE when it does not get there, with words for
// the caller; what the answer would have carried away must not leave then.
absl::Status RecordChange(AuditLog* audit, const AuditEvent& event);

// A TLS handshake that failed, on either port. Who came is not known.
AuditEvent HandshakeRefusal(std::string_view why);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_AUDIT_EVENT_H_
