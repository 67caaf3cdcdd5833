#include "tests/backend/rpc/guarded_server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>

#include <condition_variable>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/activity.grpc.pb.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/agent.grpc.pb.h"
#include "carme/v1/announcement.grpc.pb.h"
#include "carme/v1/audit.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/choice.grpc.pb.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "carme/v1/cluster_utilization.grpc.pb.h"
#include "carme/v1/dry_run.grpc.pb.h"
#include "carme/v1/environment.grpc.pb.h"
#include "carme/v1/environment_form.grpc.pb.h"
#include "carme/v1/environment_gallery.grpc.pb.h"
#include "carme/v1/factors.grpc.pb.h"
#include "carme/v1/gpu_use.grpc.pb.h"
#include "carme/v1/history.grpc.pb.h"
#include "carme/v1/image.grpc.pb.h"
#include "carme/v1/job_log.grpc.pb.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "carme/v1/limit.grpc.pb.h"
#include "carme/v1/log.grpc.pb.h"
#include "carme/v1/maintenance.grpc.pb.h"
#include "carme/v1/metrics_access.grpc.pb.h"
#include "carme/v1/node_history.grpc.pb.h"
#include "carme/v1/notification.grpc.pb.h"
#include "carme/v1/preset.grpc.pb.h"
#include "carme/v1/project.grpc.pb.h"
#include "carme/v1/reservation.grpc.pb.h"
#include "carme/v1/reservation_calendar.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "carme/v1/session.grpc.pb.h"
#include "carme/v1/storage.grpc.pb.h"
#include "carme/v1/template.grpc.pb.h"
#include "carme/v1/user_preview.grpc.pb.h"
#include "common/file.h"
#include "common/log.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

std::string Text(const std::string& file) {
  return file.empty() ? "" : ReadFile(file).value();
}

ServiceMap OnlyOne(std::unique_ptr<grpc::Service> service,
                   const std::string& name) {
  ServiceMap map;
  if (service != nullptr) map[name] = std::move(service);
  return map;
}

// The peer of one generic call, which may be a stream.
class Reactor
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&response_);
  }
  void OnDone(const grpc::Status& status) override {
    std::lock_guard lock(mutex_);
    status_ = status;
    done_ = true;
    changed_.notify_all();
  }
  grpc::Status Run() {
    StartWriteLast(&request_, {});
    StartRead(&response_);
    StartCall();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    return status_;
  }

 private:
  // One empty slice: the encoding of an empty message.
  grpc::Slice empty_{std::string()};
  grpc::ByteBuffer request_{&empty_, 1};
  grpc::ByteBuffer response_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  grpc::Status status_;
};

}  // namespace

absl::StatusOr<Session> FixedSessions::Authenticate(std::string_view token,
                                                    std::string_view) {
  constexpr std::string_view kPrefix = "token-of-";
  if (token.substr(0, kPrefix.size()) != kPrefix) {
    return absl::UnauthenticatedError("no such token");
  }
  const std::string name(token.substr(kPrefix.size()));
  return Session{.id = SessionId("session-of-" + name),
                 .username = name,
                 .display_name = "Dr. " + name,
                 .uid = Uid(20001),
                 .role = name == "carol" ? Role::kAdmin : Role::kUser,
                 .created_at = absl::FromUnixSeconds(1'800'000'000),
                 .expires_at = absl::FromUnixSeconds(1'800'086'400),
                 .reauthenticated_until = absl::InfiniteFuture()};
}

GuardedServer::GuardedServer(Sessions* sessions,
                             std::unique_ptr<grpc::Service> extra,
                             const std::string& extra_name, const Clock* clock)
    : GuardedServer(sessions, OnlyOne(std::move(extra), extra_name), clock) {}

GuardedServer::GuardedServer(Sessions* sessions, ServiceMap extra,
                             const Clock* clock)
    : GuardedServer(sessions, std::move(extra), clock, [](TlsConfig*) {}) {}

GuardedServer::GuardedServer(Sessions* sessions, ServiceMap extra,
                             const Clock* clock,
                             const std::function<void(TlsConfig*)>& change,
                             Credentials credentials)
    : guard_(sessions, clock != nullptr ? clock : &system_clock_,
             {"dmz", "dmz", {"beta"}, "head"}, audit_.get(), credentials) {
  SetLogLevel(LogLevel::kError);  // refusals are what the tests are about
  const IssuedCertificate own =
      authority_.Issue("backend", "DNS:carme-backend");
  config_ = {.clients = "127.0.0.1:0",
             .agents = "127.0.0.1:0",
             .certificate = own.certificate_file,
             .key = own.key_file,
             .client_ca = authority_.ca_file()};
  change(&config_);
  ServiceMap services;
  services["account"] = std::make_unique<v1::AccountService::Service>();
  services["activity"] = std::make_unique<v1::ActivityService::Service>();
  services["admin"] = std::make_unique<v1::AdminService::Service>();
  services["announcements"] =
      std::make_unique<v1::AnnouncementService::Service>();
  services["audit"] = std::make_unique<v1::AuditService::Service>();
  services["factors"] = std::make_unique<v1::FactorService::Service>();
  services["agent"] = std::make_unique<v1::AgentService::Service>();
  services["auth"] = std::make_unique<v1::AuthService::Service>();
  services["choices"] = std::make_unique<v1::ChoiceService::Service>();
  services["cluster"] = std::make_unique<v1::ClusterService::Service>();
  services["cluster_use"] =
      std::make_unique<v1::ClusterUtilizationService::Service>();
  services["history"] = std::make_unique<v1::HistoryService::Service>();
  services["image"] = std::make_unique<v1::ImageService::Service>();
  services["log"] = std::make_unique<v1::LogService::Service>();
  services["node-history"] =
      std::make_unique<v1::NodeHistoryService::Service>();
  services["maintenance"] = std::make_unique<v1::MaintenanceService::Service>();
  services["limit"] = std::make_unique<v1::LimitService::Service>();
  services["notification"] =
      std::make_unique<v1::NotificationService::Service>();
  services["project"] = std::make_unique<v1::ProjectService::Service>();
  services["preset"] = std::make_unique<v1::PresetService::Service>();
  services["template"] = std::make_unique<v1::TemplateService::Service>();
  services["reservation"] = std::make_unique<v1::ReservationService::Service>();
  services["dry runs"] = std::make_unique<v1::DryRunService::Service>();
  services["user previews"] =
      std::make_unique<v1::UserPreviewService::Service>();
  services["calendar"] =
      std::make_unique<v1::ReservationCalendarService::Service>();
  services["environment"] = std::make_unique<v1::EnvironmentService::Service>();
  services["environment form"] =
      std::make_unique<v1::EnvironmentFormService::Service>();
  services["environment gallery"] =
      std::make_unique<v1::EnvironmentGalleryService::Service>();
  services["job logs"] = std::make_unique<v1::JobLogService::Service>();
  services["jobs"] = std::make_unique<v1::JobService::Service>();
  services["routes"] = std::make_unique<v1::RouteService::Service>();
  services["sessions"] = std::make_unique<v1::SessionService::Service>();
  services["metrics access"] =
      std::make_unique<v1::MetricsAccessService::Service>();
  services["gpu use"] = std::make_unique<v1::GpuUseService::Service>();
  services["storage"] = std::make_unique<v1::StorageService::Service>();
  for (auto& [name, service] : extra) services[name] = std::move(service);

  identity_ = ServerIdentity::Open(config_, state_.path()).value();
  std::vector<grpc::Service*> for_clients;
  for (auto& [name, service] : services) {
    if (name != "agent") for_clients.push_back(service.get());
  }
  clients_ = GrpcServer::Start(Port::kClients, config_, *identity_, guard_,
                               for_clients)
                 .value();
  agents_ = GrpcServer::Start(Port::kAgents, config_, *identity_, guard_,
                              {services["agent"].get()})
                .value();
  for (auto& [name, service] : services) {
    services_.push_back(std::move(service));
  }
}

GuardedServer::~GuardedServer() {
  const absl::Time deadline = absl::Now() + absl::Seconds(1);
  clients_->Shutdown(deadline);
  agents_->Shutdown(deadline);
}

int GuardedServer::port(Port port) const {
  return (port == Port::kClients ? clients_ : agents_)->number();
}

std::shared_ptr<grpc::Channel> GuardedServer::Connect(
    Port port, const std::string& names) {
  if (names.empty()) return ConnectWith(port, "", "");
  const IssuedCertificate own = authority_.Issue("client", names);
  return ConnectWith(port, own.certificate_file, own.key_file);
}

std::shared_ptr<grpc::Channel> GuardedServer::ConnectWith(
    Port port, const std::string& certificate_file,
    const std::string& key_file) {
  return Channel("127.0.0.1", port, certificate_file, key_file);
}

std::shared_ptr<grpc::Channel> GuardedServer::Channel(
    const std::string& host, Port port, const std::string& certificate_file,
    const std::string& key_file) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  // Channels of equal arguments would share a connection, and its certificate.
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  return grpc::CreateCustomChannel(
      absl::StrCat(host, ":", this->port(port)),
      grpc::SslCredentials({.pem_root_certs = Text(authority_.ca_file()),
                            .pem_private_key = Text(key_file),
                            .pem_cert_chain = Text(certificate_file)}),
      arguments);
}

grpc::Status Call(const std::shared_ptr<grpc::Channel>& channel,
                  const std::string& path, const CallMetadata& metadata) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub(channel);
  Reactor reactor;
  stub.PrepareBidiStreamingCall(&context, path, {}, &reactor);
  return reactor.Run();
}

}  // namespace carme::backend
