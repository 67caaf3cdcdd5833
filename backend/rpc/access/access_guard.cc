#include "backend/rpc/access/access_guard.h"

#include <google/protobuf/message_lite.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_metadata_processor.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_interceptor.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/identity/session/messages.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller_metadata.h"
#include "backend/rpc/access/messages.h"
#include "common/grpc/grpc_status.h"
#include "common/grpc/status_origin.h"
#include "common/ids.h"
#include "common/name_rules.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

using Metadata = std::multimap<grpc::string_ref, grpc::string_ref>;

constexpr size_t kMaxAddressBytes = 64;
constexpr size_t kMaxUserAgentBytes = 200;
constexpr size_t kMaxTokenBytes = 64;
constexpr size_t kMaxAssertionBytes = 4096;

std::string Text(const grpc::string_ref& ref) {
  return std::string(ref.data(), ref.size());
}

// The value of a key; nullopt: absent or repeated.
std::optional<std::string> Only(const Metadata& metadata, const char* key) {
  const auto range = metadata.equal_range(key);
  if (range.first == range.second || std::next(range.first) != range.second) {
    return std::nullopt;
  }
  return Text(range.first->second);
}

bool IsReserved(const grpc::string_ref& key) {
  return key.starts_with(
      grpc::string_ref(kCallerPrefix.data(), kCallerPrefix.size()));
}

// A new id if the client sent none that is safe to log.
std::string RequestId(const Metadata& metadata) {
  const std::string id = Only(metadata, kRequestIdKey).value_or("");
  return kRequestIdRule.Allows(id) ? id : NewRequestId();
}

// Uses only the one URI of the peer's certificate. `why_not` is for the log.
PeerIdentity PeerOf(Port port, ClientCertificates& certificates,
                    const grpc::AuthContext& context, std::string* why_not) {
  PeerIdentity peer{.port = port};
  if (port == Port::kAgents) return peer;
  const std::vector<grpc::string_ref> leaf =
      context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (!context.IsPeerAuthenticated() || leaf.size() != 1) return peer;
  const absl::StatusOr<MachineRole> role =
      // The system clock, which the TLS handshake uses, too.
      certificates.RoleOf(Text(leaf.front()), absl::Now());
  if (!role.ok()) *why_not = StatusText(role.status());
  peer.is_frontend = role.ok() && *role == MachineRole::kFrontend;
  peer.is_proxy = role.ok() && *role == MachineRole::kProxy;
  peer.is_cluster_backend = role.ok() && *role == MachineRole::kCluster;
  peer.is_metrics = role.ok() && *role == MachineRole::kMetrics;
  return peer;
}

std::string ClientAddress(const Metadata& metadata) {
  return Only(metadata, kClientAddressKey)
      .value_or("")
      .substr(0, kMaxAddressBytes);
}

absl::Status NotLoggedIn() {
  return MakeError(access_messages::kSessionRequired);
}

absl::Status NoSuchMethod() {
  return MakeError(access_messages::kMethodUnknown);
}

// The answer to a session or an access token that was not accepted. All invalid
// ones have one reason. An error of the check itself has none: with a reason
// the frontend would show its message.
absl::Status CredentialError(absl::Status status, bool is_script) {
  if (absl::IsPermissionDenied(status)) return status;
  if (!absl::IsUnauthenticated(status)) {
    return absl::Status(status.code(), status.message());
  }
  SetErrorInfo(is_script ? session_messages::kTokenInvalid.reason
                         : session_messages::kNotLoggedIn.reason,
               {}, &status);
  return status;
}

// Refuses the kind of credential that this backend does not accept, whatever
// the rpc.
absl::Status CheckKind(const Metadata& metadata, Credentials accepted) {
  if (accepted == Credentials::kAssertions) {
    return metadata.contains(kSessionKey) || metadata.contains(kTokenKey)
               ? MakeError(access_messages::kIdentityBackendRequired)
               : absl::OkStatus();
  }
  return metadata.contains(kAssertionKey)
             ? MakeError(access_messages::kAssertionNotAccepted)
             : absl::OkStatus();
}

// Authenticates by the assertion of the metadata. Its errors have reasons.
absl::StatusOr<Session> AssertedSession(const Metadata& metadata,
                                        Sessions& sessions) {
  const std::optional<std::string> assertion = Only(metadata, kAssertionKey);
  if (!assertion || assertion->empty() ||
      assertion->size() > kMaxAssertionBytes) {
    return NotLoggedIn();
  }
  return sessions.Authenticate(*assertion, ClientAddress(metadata));
}

// Looks up the session or the access token of the metadata.
absl::StatusOr<Session> SessionOf(const Metadata& metadata, Sessions& sessions,
                                  Credentials accepted) {
  RETURN_IF_ERROR(CheckKind(metadata, accepted));
  if (accepted == Credentials::kAssertions) {
    return AssertedSession(metadata, sessions);
  }
  const bool is_script = metadata.contains(kTokenKey);
  if (is_script && metadata.contains(kSessionKey)) {
    return MakeError(access_messages::kCredentialsAmbiguous);
  }
  const std::optional<std::string> token =
      Only(metadata, is_script ? kTokenKey : kSessionKey);
  if (!token || token->empty() || token->size() > kMaxTokenBytes) {
    return NotLoggedIn();
  }
  absl::StatusOr<Session> session =
      sessions.Authenticate(*token, ClientAddress(metadata));
  if (!session.ok()) return CredentialError(session.status(), is_script);
  if (session->scopes.empty() == is_script) return NotLoggedIn();
  return session;
}

// For the audit log: the owner of a refused credential.
Session OwnerOfRefused(const absl::Status& status) {
  Session owner;
  const absl::optional<absl::Cord> payload =
      status.GetPayload(kRefusedOwnerPayload);
  if (!payload) return owner;
  const std::vector<std::string> parts =
      absl::StrSplit(std::string(*payload), absl::MaxSplits(' ', 2));
  uint32_t uid = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &uid)) return owner;
  owner.id = SessionId(parts[0]);
  owner.uid = Uid(uid);
  owner.username = parts[2];
  return owner;
}

// Checks an rpc for users. Fills `session` as far as it is known, even when the
// check fails.
absl::Status Admit(const v1::Access& access, const Metadata& metadata,
                   Sessions& sessions, Credentials accepted, const Clock& clock,
                   Session* session) {
  absl::StatusOr<Session> found = SessionOf(metadata, sessions, accepted);
  if (!found.ok()) {
    *session = OwnerOfRefused(found.status());
    return found.status();
  }
  *session = *std::move(found);
  return CheckPerson(access, *session, clock.Now());
}

// Refuses calls. Runs for every call, before gRPC looks up the handler.
class Gate : public grpc::AuthMetadataProcessor {
 public:
  Gate(Port port, Sessions& sessions, Credentials accepted, const Clock& clock,
       ClientCertificates& certificates, const AccessTable& table,
       RpcMeter& meter, AuditLog& audit)
      : port_(port),
        sessions_(sessions),
        accepted_(accepted),
        clock_(clock),
        certificates_(certificates),
        table_(table),
        meter_(meter),
        audit_(audit) {}

  // Sessions and tokens are in memory: a thread would cost more than the check.
  bool IsBlocking() const override {
    return port_ == Port::kClients && accepted_ == Credentials::kAssertions;
  }

  grpc::Status Process(const InputMetadata& metadata,
                       grpc::AuthContext* context, OutputMetadata* /*consumed*/,
                       OutputMetadata* /*response*/) override {
    const std::string path = Only(metadata, ":path").value_or("");
    std::string why_not;
    const PeerIdentity peer = PeerOf(port_, certificates_, *context, &why_not);
    Session session;
    const absl::Status status = Check(path, metadata, peer, &session);
    if (!status.ok()) {
      meter_.CountRefused(path, status);
      audit_.Record(
          Refusal(path, metadata, *context, peer, session,
                  why_not.empty() ? status : Annotate(status, why_not)));
    }
    return ToGrpcWithoutDetails(status);
  }

 private:
  // Only a frontend may report the address of the client.
  static AuditEvent Refusal(const std::string& path, const Metadata& metadata,
                            const grpc::AuthContext& context,
                            const PeerIdentity& peer, const Session& session,
                            const absl::Status& status) {
    return Outcome({.act = "call",
                    .actor = session.username,
                    .actor_uid = session.uid,
                    .subject = path,
                    .source = peer.is_frontend ? ClientAddress(metadata) : "",
                    .machine = MachineOf(context),
                    .request_id = RequestId(metadata),
                    .session_id = session.id.value()},
                   status);
  }

  absl::Status Check(const std::string& path, const Metadata& metadata,
                     const PeerIdentity& peer, Session* session) const {
    for (const auto& [key, value] : metadata) {
      if (IsReserved(key)) {
        return MakeError(access_messages::kMetadataKeyReserved);
      }
    }
    const auto access = table_.find(path);
    if (access == table_.end()) return NoSuchMethod();
    const v1::Caller caller = access->second.caller();
    RETURN_IF_ERROR(CheckMachine(caller, peer));
    if (accepted_ == Credentials::kAssertions && access->second.identity()) {
      return MakeError(access_messages::kIdentityBackendRequired);
    }
    if (!NeedsSession(caller)) return CheckKind(metadata, accepted_);
    return Admit(access->second, metadata, sessions_, accepted_, clock_,
                 session);
  }

  const Port port_;
  Sessions& sessions_;
  const Credentials accepted_;
  const Clock& clock_;
  ClientCertificates& certificates_;
  const AccessTable& table_;
  RpcMeter& meter_;
  AuditLog& audit_;
};

// Passes the caller to the handler. One object a call; lives as long as the
// call's metadata.
class Bearer : public grpc::experimental::Interceptor {
 public:
  using Hook = grpc::experimental::InterceptionHookPoints;

  Bearer(Sessions& sessions, Credentials accepted, const Clock& clock,
         const AccessTable& table, AuditLog& audit,
         grpc::experimental::ServerRpcInfo* rpc)
      : sessions_(sessions),
        accepted_(accepted),
        clock_(clock),
        table_(table),
        audit_(audit),
        rpc_(*rpc) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* call) override {
    if (call->QueryInterceptionHookPoint(Hook::POST_RECV_INITIAL_METADATA)) {
      rpc_.server_context()->AddTrailingMetadata(kStatusOriginKey,
                                                 kStatusOriginBackend);
      Caller caller;
      const absl::Status status =
          Find(*call->GetRecvInitialMetadata(), &caller);
      if (!status.ok()) {
        Record(caller, status);
        caller.session = {};
      }
      Replace(call->GetRecvInitialMetadata(), caller);
      if (!status.ok()) Disarm(call);
    }
    call->Proceed();
  }

 private:
  void Replace(Metadata* metadata, const Caller& caller) {
    caller_ = WriteCaller(caller);
    std::erase_if(*metadata,
                  [](const auto& row) { return IsReserved(row.first); });
    for (const auto& [key, value] : caller_) metadata->emplace(key, value);
  }

  // Repeats the check: a call can wait for its thread, and its session or role
  // may end in the meantime. Fills in the caller in any case.
  absl::Status Find(const Metadata& metadata, Caller* caller) {
    caller->request_id = RequestId(metadata);
    const auto access = table_.find(rpc_.method());
    if (access == table_.end()) return NoSuchMethod();
    if (access->second.caller() == v1::CALLER_AGENT ||
        access->second.caller() == v1::CALLER_PROXY ||
        access->second.caller() == v1::CALLER_BACKEND ||
        access->second.caller() == v1::CALLER_METRICS) {
      return absl::OkStatus();
    }
    caller->client_address = ClientAddress(metadata);
    caller->user_agent = Only(metadata, kUserAgentKey)
                             .value_or("")
                             .substr(0, kMaxUserAgentBytes);
    if (!NeedsSession(access->second.caller())) return absl::OkStatus();
    return Admit(access->second, metadata, sessions_, accepted_, clock_,
                 &caller->session);
  }

  void Record(const Caller& caller, const absl::Status& status) {
    AuditEvent event = EventOf(*rpc_.server_context(), caller, "call");
    event.subject = rpc_.method();
    audit_.Record(Outcome(std::move(event), status));
  }

  // The handler runs in any case. It gets an empty request without a caller,
  // and its response is discarded.
  void Disarm(grpc::experimental::InterceptorBatchMethods* call) {
    rpc_.server_context()->TryCancel();
    if (!call->QueryInterceptionHookPoint(Hook::POST_RECV_MESSAGE)) return;
    auto* request =
        static_cast<google::protobuf::MessageLite*>(call->GetRecvMessage());
    if (request != nullptr) request->Clear();
  }

  Sessions& sessions_;
  const Credentials accepted_;
  const Clock& clock_;
  const AccessTable& table_;
  AuditLog& audit_;
  grpc::experimental::ServerRpcInfo& rpc_;
  std::map<std::string, std::string> caller_;
};

class BearerFactory
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  BearerFactory(Sessions& sessions, Credentials accepted, const Clock& clock,
                const AccessTable& table, AuditLog& audit)
      : sessions_(sessions),
        accepted_(accepted),
        clock_(clock),
        table_(table),
        audit_(audit) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* rpc) override {
    return new Bearer(sessions_, accepted_, clock_, table_, audit_, rpc);
  }

 private:
  Sessions& sessions_;
  const Credentials accepted_;
  const Clock& clock_;
  const AccessTable& table_;
  AuditLog& audit_;
};

}  // namespace

AccessGuard::AccessGuard(Sessions* sessions, const Clock* clock,
                         MachineNames names, AuditLog* audit,
                         Credentials credentials)
    : sessions_(*sessions),
      credentials_(credentials),
      clock_(*clock),
      certificates_(std::move(names)),
      table_(ReadAccessTable(RegisteredProtoFiles())),
      meter_(table_),
      audit_(*audit) {}

void AccessGuard::Install(grpc::ServerBuilder* builder) {
  std::vector<
      std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
      creators;
  creators.push_back(meter_.NewInterceptorFactory());
  creators.push_back(std::make_unique<BearerFactory>(sessions_, credentials_,
                                                     clock_, table_, audit_));
  builder->experimental().SetInterceptorCreators(std::move(creators));
}

std::shared_ptr<grpc::AuthMetadataProcessor> AccessGuard::ForClients() {
  return std::make_shared<Gate>(Port::kClients, sessions_, credentials_, clock_,
                                certificates_, table_, meter_, audit_);
}

std::shared_ptr<grpc::AuthMetadataProcessor> AccessGuard::ForAgents() {
  return std::make_shared<Gate>(Port::kAgents, sessions_, credentials_, clock_,
                                certificates_, table_, meter_, audit_);
}

}  // namespace carme::backend
