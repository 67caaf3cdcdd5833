// Authenticates and authorizes each call before its handler runs: the machine
// by its certificate, the person by a session token or an access token, against
// the rpc's `access` option. Methods that are not in the protos are refused.
//
//   AccessGuard guard(&sessions, &clock, {frontend_name, proxy_name}, &audit);
//   guard.Install(&builder);
//   credentials->SetAuthMetadataProcessor(guard.ForClients());
//
// GrpcServer does the last two lines.
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
#include "backend/rpc/access/rpc_meter.h"
#include "common/clock.h"
#include "common/metrics/operation_meter.h"

namespace grpc {
class AuthMetadataProcessor;
class ServerBuilder;
}  // namespace grpc

namespace carme::backend {

// What authenticates a person.
enum class Credentials {
  kSessionsAndTokens,
  // Assertions of the identity backend: at the backend of a further cluster,
  // which refuses sessions, access tokens and the rpcs with the option
  // `identity`. Sessions::Authenticate may block.
  kAssertions,
};

// Thread-safe. Consists of a processor, which refuses calls, and an
// interceptor, which checks again and passes the caller to CallerOf(). The
// interceptor cannot refuse: if the second check fails, the handler runs with
// an empty request and without a caller, and the call is cancelled. gRPC's
// AuthContext cannot carry the caller: all calls of a connection share it, and
// one connection of the frontend carries the calls of all users.
class AccessGuard {
 public:
  // The pointers must outlive the guard, and the guard the server. Every
  // refusal is recorded in the audit log.
  AccessGuard(Sessions* sessions, const Clock* clock, MachineNames names,
              AuditLog* audit,
              Credentials credentials = Credentials::kSessionsAndTokens);
  AccessGuard(const AccessGuard&) = delete;
  AccessGuard& operator=(const AccessGuard&) = delete;

  // Call once for each server that uses one of the processors below.
  void Install(grpc::ServerBuilder* builder);
  // For the mutual TLS port of the frontend and the proxy.
  std::shared_ptr<grpc::AuthMetadataProcessor> ForClients();
  // For the agents' port, which has no client certificates: its services check
  // MUNGE credentials.
  std::shared_ptr<grpc::AuthMetadataProcessor> ForAgents();
  ClientCertificates& certificates() { return certificates_; }
  const OperationMeter& calls() const { return meter_.calls(); }

 private:
  Sessions& sessions_;
  const Credentials credentials_;
  const Clock& clock_;
  ClientCertificates certificates_;
  const AccessTable table_;
  RpcMeter meter_;
  AuditLog& audit_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_ACCESS_GUARD_H_
