// Who may call what, decided before any handler runs: which machine (its
// certificate) and which person (the session token, or a script's access
// token), against the rpc's own `access` option. What is not in the contract
// is refused.
//
//   AccessGuard guard(&sessions, &clock, {frontend_name, proxy_name}, &audit);
//   guard.Install(&builder);
//   credentials->SetAuthMetadataProcessor(guard.ForClients());
//
// GrpcServer (guarded_ports.h) does the last two lines.
#ifndef CARME_BACKEND_RPC_ACCESS_ACCESS_GUARD_H_
#define CARME_BACKEND_RPC_ACCESS_ACCESS_GUARD_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/rpc/access/access_rule.h"
#include "backend/rpc/access/client_certificates.h"
#include "backend/rpc/access/method_registry.h"
#include "common/clock.h"

namespace grpc {
class AuthMetadataProcessor;
class ServerBuilder;
}  // namespace grpc

namespace carme::backend {

// Thread-safe. Two parts that belong together: the processor refuses; the
// interceptor asks the same again, and hands the caller to CallerOf. It cannot
// refuse: should the answer be no by then, the handler runs with an empty
// request of nobody's, and the call is cancelled. gRPC's own AuthContext would
// not do for handing over: it is shared by all calls of a connection, and one
// connection of the frontend carries everybody's.
class AccessGuard {
 public:
  // The pointers outlive the guard, the guard outlives the server. All
  // that it refuses is in the audit log, by whatever was missing.
  AccessGuard(Sessions* sessions, const Clock* clock, MachineNames names,
              AuditLog* audit);
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  // Once for each server that a port below belongs to.
  void Install(grpc::ServerBuilder* builder);
  // For the mutual-TLS port of frontend and proxy.
  std::shared_ptr<grpc::AuthMetadataProcessor> ForClients();
  // For the agents' port: no client certificate; the services there demand
  // their own proof.
  std::shared_ptr<grpc::AuthMetadataProcessor> ForAgents();
  ClientCertificates& certificates() { return certificates_; }

 private:
  Sessions& sessions_;
  const Clock& clock_;
  ClientCertificates certificates_;
  const AccessTable table_;
  AuditLog& audit_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_ACCESS_GUARD_H_
