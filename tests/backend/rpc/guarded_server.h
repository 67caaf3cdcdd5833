// Every service of the contract behind the real guard on two TLS ports, with
// handlers that return UNIMPLEMENTED: a call with that status was admitted.
#ifndef CARME_TESTS_BACKEND_RPC_GUARDED_SERVER_H_
#define CARME_TESTS_BACKEND_RPC_GUARDED_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/rpc/access/access_guard.h"
#include "backend/rpc/server/grpc_server.h"
#include "tests/support/test_authority.h"

namespace carme::backend {

// Sessions without a disk: the token "token-of-NAME" is NAME's.
class FixedSessions : public Sessions {
 public:
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view) override;
  absl::Status Refresh(const SessionId&, absl::Time) override {
    return absl::OkStatus();
  }
  absl::Status End(const SessionId&) override { return absl::OkStatus(); }
  bool IsLive(const SessionId&) override { return true; }
  std::vector<EndedSession> Ended() override { return {}; }
  void OnEnd(std::function<void(const EndedSession&)>) override {}
};

// The names in a certificate that is the frontend's, and in one of the proxy's.
inline constexpr char kFrontendNames[] = "URI:carme://frontend/dmz";
inline constexpr char kProxyNames[] = "URI:carme://proxy/dmz";
// Of the backend of the only further cluster.
inline constexpr char kClusterNames[] = "URI:carme://cluster/beta";
inline constexpr char kMetricsNames[] = "URI:carme://metrics/head";

using CallMetadata = std::vector<std::pair<std::string, std::string>>;

// By the name of the proto file: "auth".
using ServiceMap = std::map<std::string, std::unique_ptr<grpc::Service>>;

class GuardedServer {
 public:
  // Each of `extra` replaces the stand-in for its service.
  GuardedServer(Sessions* sessions, ServiceMap extra,
                const Clock* clock = nullptr);
  // `extra` replaces the stand-in for its service.
  explicit GuardedServer(Sessions* sessions,
                         std::unique_ptr<grpc::Service> extra = nullptr,
                         const std::string& extra_name = "",
                         const Clock* clock = nullptr);
  // As the first, with `change` made to its configuration.
  GuardedServer(Sessions* sessions, ServiceMap extra, const Clock* clock,
                const std::function<void(TlsConfig*)>& change,
                Credentials credentials = Credentials::kSessionsAndTokens);
  ~GuardedServer();

  TestAuthority& authority() { return authority_; }
  ServerIdentity& identity() { return *identity_; }
  const TlsConfig& config() const { return config_; }
  AuditLog& audit() { return *audit_; }
  Database* database() { return database_.get(); }
  ClientCertificates& certificates() { return guard_.certificates(); }
  const OperationMeter& calls() const { return guard_.calls(); }
  int port(Port port) const;
  ConnectionCounts agent_connections() const { return agents_->connections(); }
  // `names` empty: without a client certificate.
  std::shared_ptr<grpc::Channel> Connect(Port port, const std::string& names);
  std::shared_ptr<grpc::Channel> ConnectWith(
      Port port, const std::string& certificate_file,
      const std::string& key_file);
  // Without a client certificate, to this literal address of the host.
  std::shared_ptr<grpc::Channel> ConnectTo(const std::string& host, Port port) {
    return Channel(host, port, "", "");
  }

 private:
  std::shared_ptr<grpc::Channel> Channel(const std::string& host, Port port,
                                         const std::string& certificate_file,
                                         const std::string& key_file);
  TestAuthority authority_;
  TempDir state_;
  std::unique_ptr<ServerIdentity> identity_;
  TlsConfig config_;
  const SystemClock system_clock_;
  std::unique_ptr<Database> database_ =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit_ =
      AuditLog::Open(database_.get(), &system_clock_).value();
  AccessGuard guard_;
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::unique_ptr<GrpcServer> clients_;
  std::unique_ptr<GrpcServer> agents_;
};

// Calls any rpc by its path with an empty request; five seconds at most.
grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel,
                  const std::string& path, const CallMetadata& metadata = {});

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_GUARDED_SERVER_H_
