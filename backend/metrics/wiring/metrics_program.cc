#include "backend/metrics/wiring/metrics_program.h"

#include <grpcpp/impl/service_type.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/archive/archive_store.h"
#include "backend/metrics/archive/archiver.h"
#include "backend/metrics/gpu_idle/gpu_idle_watch.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "backend/metrics/jobs/known_jobs.h"
#include "backend/metrics/jobs/metrics_access_client.h"
#include "backend/metrics/pages/finding_pages.h"
#include "backend/metrics/pages/job_pages.h"
#include "backend/metrics/query/database_reader.h"
#include "backend/metrics/query/live_samples.h"
#include "backend/metrics/server/grpc_port.h"
#include "backend/metrics/server/portal_callers.h"
#include "backend/metrics/server/services.h"
#include "backend/metrics/wiring/messages.h"
#include "backend/metrics/wiring/metrics_monitoring.h"
#include "backend/rpc/access/client_certificates.h"
#include "backend/rpc/server/server_identity.h"
#include "backend/store/private_directory.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/config/program.h"
#include "common/file.h"
#include "common/log.h"
#include "common/metric_rules/rule_set.h"
#include "common/monitoring/admin_listener.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr absl::Duration kPollInterval = absl::Seconds(1);
constexpr backend::ConnectionLimits kAgentConnections = {
    .max_connections = 32'000, .max_per_address = 512, .new_per_s = 20};
constexpr int kAgentCallsPerConnection = 4;
// A stream of each agent, and requests that wait.
constexpr size_t kAgentBytes = size_t{512} << 20;
constexpr backend::ConnectionLimits kClientConnections = {
    .max_connections = 512, .max_per_address = 128, .new_per_s = 20};
constexpr int kClientThreads = 256;
constexpr absl::Duration kArchiveInterval = absl::Seconds(5);
constexpr absl::Duration kEvaluationInterval = absl::Seconds(5);
constexpr size_t kMaxRulesBytes = 1 << 20;
// From the directory of this program.
constexpr char kShippedRules[] = "../share/carme/metric-rules.yaml";

std::string JobCaPath(const MetricsProgramConfig& config) {
  return config.state_directory + "/job_ca.pem";
}

backend::TlsConfig TlsFor(const MetricsProgramConfig& config,
                          const std::string& client_ca,
                          const std::string& client_crl) {
  backend::TlsConfig tls;
  tls.certificate = config.tls.certificate;
  tls.key = config.tls.key;
  tls.client_ca = client_ca;
  tls.client_crl = client_crl;
  return tls;
}

// Makes a directory in the state directory. Errors of mkdir(2).
absl::Status MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
    return absl::OkStatus();
  }
  return ErrnoError(errno, absl::StrCat("mkdir \"", path, "\""));
}

// Applies what the backend says about jobs, and keeps the job CA, so that
// agents can connect after a restart without the backend.
class JobUpdates : public BackendListener {
 public:
  JobUpdates(KnownJobs* jobs, Archiver* archiver, std::string ca_path)
      : jobs_(jobs), archiver_(archiver), ca_path_(std::move(ca_path)) {}

  // Null: the callers are about to end.
  void SetCallers(PortalCallers* callers) {
    absl::MutexLock lock(&mutex_);
    callers_ = callers;
    if (callers_ != nullptr && !assertion_key_.empty()) {
      callers_->SetAssertionKey(assertion_key_);
    }
  }

  void OnJobs(const v1::WatchMeasuredJobsResponse& message) override {
    for (const v1::MeasuredJob& job : message.running()) {
      jobs_->SetRunning(job);
    }
    for (const v1::MeasuredJob& job : message.ended()) {
      if (jobs_->SetEnded(job.job_id())) archiver_->OnEnded(job.job_id());
    }
    if (!message.job_ca_pem().empty()) KeepCa(message.job_ca_pem());
    if (message.assertion_public_key().empty()) return;
    absl::MutexLock lock(&mutex_);
    assertion_key_ = message.assertion_public_key();
    if (callers_ != nullptr) callers_->SetAssertionKey(assertion_key_);
  }

 private:
  void KeepCa(const std::string& pem) {
    const absl::StatusOr<std::string> kept = ReadFile(ca_path_);
    if (kept.ok() && *kept == pem) return;
    const absl::Status written = WriteFile(ca_path_, pem, 0600);
    if (written.ok()) return;
    LogError("job CA not stored", {{"error", StatusText(written)}});
  }

  KnownJobs* const jobs_;
  Archiver* const archiver_;
  const std::string ca_path_;
  absl::Mutex mutex_;
  PortalCallers* callers_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::string assertion_key_ ABSL_GUARDED_BY(mutex_);
};

// Asks the backend once it is connected.
class BackendRecords : public JobRecords, public GpuUseBackend {
 public:
  void SetLink(MetricsAccessClient* link) {
    absl::MutexLock lock(&mutex_);
    link_ = link;
  }
  absl::StatusOr<v1::MeasuredJob> Find(const std::string& job) override {
    MetricsAccessClient* const link = Link();
    if (link == nullptr) return MakeError(wiring_messages::kBackendAway);
    return link->Find(job);
  }
  absl::Status RecordNodeFindings(
      const v1::RecordNodeFindingsRequest& request) override {
    MetricsAccessClient* const link = Link();
    if (link == nullptr) return MakeError(wiring_messages::kBackendAway);
    return link->RecordNodeFindings(request);
  }
  absl::StatusOr<v1::ListJudgedJobsResponse> ListJudgedJobs() override {
    MetricsAccessClient* const link = Link();
    if (link == nullptr) return MakeError(wiring_messages::kBackendAway);
    return link->ListJudgedJobs();
  }
  absl::Status ReportGpuUse(const v1::ReportGpuUseRequest& request) override {
    MetricsAccessClient* const link = Link();
    if (link == nullptr) return MakeError(wiring_messages::kBackendAway);
    return link->ReportGpuUse(request);
  }

 private:
  MetricsAccessClient* Link() {
    absl::MutexLock lock(&mutex_);
    return link_;
  }

  absl::Mutex mutex_;
  MetricsAccessClient* link_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

// The port for the frontend.
class ClientPort {
 public:
  static absl::StatusOr<std::unique_ptr<ClientPort>> Open(
      const MetricsProgramConfig& config, grpc::Service* service) {
    const std::string copies = config.state_directory + "/clients_tls";
    RETURN_IF_ERROR(MakeDirectory(copies));
    std::unique_ptr<ClientPort> made(new ClientPort());
    ASSIGN_OR_RETURN(
        made->identity_,
        backend::ServerIdentity::Open(
            TlsFor(config, config.tls.ca, config.tls.crl), copies));
    ASSIGN_OR_RETURN(made->port_,
                     GrpcPort::Start({.name = "clients",
                                      .address = config.clients,
                                      .connections = kClientConnections,
                                      .max_threads = kClientThreads},
                                     *made->identity_, {service}));
    LogInfo("serving clients",
            {{"address", config.clients}, {"port", made->port_->number()}});
    return made;
  }
  // Reloads certificates and revocations.
  void Poll(backend::ClientCertificates* certificates) {
    identity_->Refresh(certificates);
  }

 private:
  ClientPort() = default;
  std::unique_ptr<backend::ServerIdentity> identity_;
  std::unique_ptr<GrpcPort> port_;
};

// The port for agents. It opens when the job CA is known.
class AgentPort {
 public:
  AgentPort(const MetricsProgramConfig& config, SampleIngest* ingest)
      : config_(config),
        service_(NewSampleService(
            ingest, {.threads = config.database.max_concurrent_writes})),
        // No name is accepted: agents are identified by CallerCertificates.
        certificates_(backend::MachineNames{}) {}

  // Opens the port if it can be opened, or reloads its certificates. Returns
  // whether it is open.
  bool Poll() {
    if (port_ != nullptr) {
      identity_->Refresh(&certificates_);
      return true;
    }
    if (access(JobCaPath(config_).c_str(), R_OK) != 0) return false;
    const absl::Status opened = Open();
    if (!opened.ok() && !std::exchange(failure_logged_, true)) {
      LogError("port for agents not opened", {{"error", StatusText(opened)}});
    }
    return opened.ok();
  }

 private:
  absl::Status Open() {
    const std::string copies = config_.state_directory + "/agents_tls";
    RETURN_IF_ERROR(MakeDirectory(copies));
    ASSIGN_OR_RETURN(identity_,
                     backend::ServerIdentity::Open(
                         TlsFor(config_, JobCaPath(config_), ""), copies));
    ASSIGN_OR_RETURN(
        port_,
        GrpcPort::Start({.name = "agents",
                         .address = config_.agents,
                         .connections = kAgentConnections,
                         .max_calls_per_connection = kAgentCallsPerConnection,
                         .max_bytes = kAgentBytes,
                         .max_request_bytes = kMaxRequestBytes},
                        *identity_, {service_.get()}));
    LogInfo("serving agents",
            {{"address", config_.agents}, {"port", port_->number()}});
    return absl::OkStatus();
  }

  const MetricsProgramConfig& config_;
  const std::unique_ptr<grpc::Service> service_;
  backend::ClientCertificates certificates_;
  std::unique_ptr<backend::ServerIdentity> identity_;
  std::unique_ptr<GrpcPort> port_;
  bool failure_logged_ = false;
};

}  // namespace

absl::StatusOr<DatabaseAddress> AddressOf(
    const MetricsProgramConfig::Database& config) {
  DatabaseAddress address{.url = config.url,
                          .username = config.username,
                          .password = "",
                          .ca = config.ca};
  if (!config.password_file.empty()) {
    ASSIGN_OR_RETURN(address.password, ReadSecretFile(config.password_file));
  }
  return address;
}

absl::StatusOr<metric_rules::RuleSet> LoadRules(std::string path) {
  if (path.empty()) {
    std::error_code error;
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe", error);
    path = (program.parent_path() / kShippedRules).lexically_normal();
    if (access(path.c_str(), R_OK) != 0) {
      LogWarning("no rules, nothing is found in samples", {{"expected", path}});
      return metric_rules::RuleSet();
    }
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxRulesBytes));
  return metric_rules::ParseRules(text, path);
}

absl::Status RunMetrics(const MetricsProgramConfig& config) {
  RETURN_IF_ERROR(
      backend::CheckPrivateDirectory(config.state_directory, geteuid()));
  const TlsFilePaths tls_paths = {config.tls.certificate, config.tls.key,
                                  config.tls.ca, config.tls.crl};
  ASSIGN_OR_RETURN(TlsFiles tls, TlsFiles::OpenValid(tls_paths, absl::Now()));
  ASSIGN_OR_RETURN(DatabaseAddress database, AddressOf(config.database));
  ASSIGN_OR_RETURN(const metric_rules::RuleSet rules,
                   LoadRules(config.rules_file));
  const std::string archives = config.state_directory + "/archives";
  const std::string notes = config.state_directory + "/jobs";
  RETURN_IF_ERROR(MakeDirectory(archives));
  RETURN_IF_ERROR(MakeDirectory(notes));
  const SystemClock clock;
  KnownJobs jobs;
  LiveSamples live;
  DatabaseReader reader(database, config.database.timeout);
  RemoteWriter writer(
      {.address = std::move(database),
       .timeout = config.database.timeout,
       .max_concurrent_writes = config.database.max_concurrent_writes});
  SampleIngest ingest(
      {.writer = &writer, .jobs = &jobs, .clock = &clock, .listener = &live},
      config.limits);
  ArchiveStore store(archives,
                     {.bytes_per_job = config.archive.mib_per_job << 20,
                      .bytes_total = config.archive.mib_total << 20,
                      .max_age = absl::Hours(24) * config.archive.days});
  BackendRecords records;
  Archiver archiver({.store = &store,
                     .ingest = &ingest,
                     .jobs = &jobs,
                     .reader = &reader,
                     .records = &records,
                     .clock = &clock,
                     .rules = &rules,
                     .notes_directory = notes});
  archiver.Restore();
  JobUpdates updates(&jobs, &archiver, JobCaPath(config));
  MetricsAccessClient link({.address = config.backend.address,
                            .server_name = config.backend.server_name,
                            .tls = tls_paths},
                           &updates);
  records.SetLink(&link);
  PortalCallers callers(config.tls.frontend_name, &link);
  updates.SetCallers(&callers);
  JobPages pages(
      {.store = &store, .ingest = &ingest, .reader = &reader, .clock = &clock});
  FindingPages findings({.store = &store,
                         .ingest = &ingest,
                         .jobs = &jobs,
                         .reader = &reader,
                         .rules = &rules,
                         .clock = &clock});
  const std::unique_ptr<grpc::Service> metrics_service =
      NewMetricsService({.callers = &callers,
                         .pages = &pages,
                         .findings = &findings,
                         .reader = &reader,
                         .live = &live,
                         .jobs = &jobs,
                         .export_names = config.export_names});
  ASSIGN_OR_RETURN(const auto clients,
                   ClientPort::Open(config, metrics_service.get()));
  AgentPort agents(config, &ingest);
  const BackgroundThread archiving("archiver", kArchiveInterval,
                                   [&archiver] { archiver.Step(); });
  const BackgroundThread evaluating("rules", kEvaluationInterval,
                                    [&findings] { findings.Step(); });
  GpuIdleWatch gpu_idle(
      {.reader = &reader, .backend = &records, .clock = &clock});
  const BackgroundThread judging("idle-gpus", GpuIdleWatch::kInterval,
                                 [&gpu_idle] { gpu_idle.Step(); });
  MetricsMonitoring monitoring({.ingest = &ingest,
                                .writer = &writer,
                                .archiver = &archiver,
                                .findings = &findings,
                                .link = &link});
  const auto admin =
      AdminListener::StartIfSet(config.metrics_listen, &monitoring);
  ExpiryWarnings warnings;
  do {
    tls.Refresh();
    clients->Poll(callers.certificates());
    monitoring.SetServing(agents.Poll());
    const absl::Time now = absl::Now();
    std::vector<CertificateHealth> certificates =
        HealthOf("metrics", tls.material().certificate,
                 config.tls.expiry_warn_days, now);
    for (const CertificateHealth& list :
         HealthOfList(tls.material().revoked, tls.material().ca, now)) {
      certificates.push_back(list);
    }
    warnings.Check(certificates, now);
    monitoring.SetCertificates(std::move(certificates));
  } while (WaitForStopSignal(kPollInterval) == 0);
  LogInfo("stopping");
  updates.SetCallers(nullptr);
  records.SetLink(nullptr);
  return absl::OkStatus();
}

}  // namespace carme::metrics
