#include "backend/health/backend_monitoring.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "backend/health/messages.h"
#include "common/metrics/metrics_writer.h"
#include "common/monitoring/certificate_metrics.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kReadEvery = absl::Seconds(15);
constexpr absl::Duration kMaxPollAge = absl::Minutes(1);
// The health monitor updates its report every few seconds.
constexpr absl::Duration kMaxReportAge = absl::Minutes(1);

// "HEALTH_STATE_DOWN" without its prefix: "down".
std::string LabelOf(const std::string& enum_name, const char* prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(enum_name, prefix));
}

std::string ComponentLabel(v1::HealthComponent component) {
  return LabelOf(v1::HealthComponent_Name(component), "HEALTH_COMPONENT_");
}

int64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(bytes);
}

}  // namespace

BackendMonitoring::BackendMonitoring(Parts parts)
    : parts_(std::move(parts)), started_(parts_.clock->Now()) {
  thread_.Start("monitoring-disk", [this] {
    const DiskFigures figures = ReadDiskFigures();
    absl::MutexLock lock(&mutex_);
    disk_ = figures;
    return kReadEvery;
  });
}

BackendMonitoring::DiskFigures BackendMonitoring::ReadDiskFigures() const {
  DiskFigures figures{.database_bytes = SizeOf(parts_.database_path),
                      .log_bytes = SizeOf(parts_.database_path + "-wal")};
  const auto waiting = [this](Channel channel) -> std::optional<int64_t> {
    if (!parts_.notifications->Offers(channel)) return std::nullopt;
    const auto health = parts_.notifications->HealthOf(channel);
    if (!health.ok()) return std::nullopt;
    return health->outbox.waiting;
  };
  figures.mails_waiting = waiting(v1::CHANNEL_MAIL);
  figures.webhooks_waiting = waiting(v1::CHANNEL_WEBHOOK);
  return figures;
}

absl::Status BackendMonitoring::Alive() const {
  const absl::Time since = std::max(parts_.health->updated_at(), started_);
  if (parts_.clock->Now() - since < kMaxReportAge) return absl::OkStatus();
  return absl::InternalError("the health monitor hangs");
}

absl::Status BackendMonitoring::Ready() const {
  if (!parts_.database->writes().state().status.ok()) {
    return MakeError(health_messages::kDatabaseNotWritable);
  }
  const SlurmSnapshotPtr slurm = parts_.scheduler->Snapshot();
  if (parts_.clock->Now() - slurm->asked_at > kMaxPollAge) {
    return MakeError(health_messages::kSlurmNotPolled);
  }
  const Availability::State impersonator =
      parts_.impersonator->availability().state();
  if (!impersonator.observed() || !impersonator.status.ok()) {
    return MakeError(health_messages::kImpersonatorUnavailable);
  }
  return absl::OkStatus();
}

std::string BackendMonitoring::Metrics() const {
  const absl::Time now = parts_.clock->Now();
  MetricsWriter writer("carme_backend_");
  writer.Family("build_info", MetricType::kGauge,
                "Always 1; the labels are the versions of Carme and libslurm.");
  writer.Sample({{"version", CARME_VERSION}, {"libslurm", parts_.libslurm}}, 1);
  writer.Gauge("start_time_seconds",
               "Start of the process, in seconds since 1970.",
               absl::ToUnixSeconds(started_));
  writer.Gauge("active", "Whether this backend is active: 0 for a standby.", 1);
  writer.Gauge("ready", "1 if /readyz responds 200.", Ready().ok() ? 1 : 0);
  WriteCalls(&writer);
  WriteUsers(&writer);
  WriteSlurm(now, &writer);
  WriteRootPrograms(&writer);
  WriteDatabase(&writer);
  WriteHealth(&writer);
  WriteCertificates(parts_.certificates->Health(), now, &writer);
  return writer.Take();
}

void BackendMonitoring::WriteCalls(MetricsWriter* writer) const {
  parts_.calls->Write(
      {.total = "rpc_requests_total",
       .total_help = "Finished calls by rpc and gRPC status code, refused ones "
                     "included. Streams are counted at their end.",
       .seconds = "rpc_seconds",
       .seconds_help = "Durations of calls that are no streams.",
       .kind = "rpc",
       .result = "code"},
      writer);
  writer->Gauge("streams_open", "Open streams of pages and proxies.",
                parts_.streams->size());
  writer->Gauge("agents_connected",
                "Agents with an open stream: one for each running job.",
                parts_.agent_streams->size());
  int connected = 0;
  int known = 0;
  for (const ProxyConnections::Proxy& proxy : parts_.proxies->list()) {
    ++known;
    connected += proxy.connected ? 1 : 0;
  }
  writer->Gauge("proxies_connected", "Proxies that receive routes.", connected);
  writer->Gauge("proxies_known",
                "Proxies that received routes within the last day.", known);
}

void BackendMonitoring::WriteUsers(MetricsWriter* writer) const {
  writer->Gauge("sessions", "Sessions that have not ended.",
                parts_.sessions->LiveCount());
  writer->Family("audit_events_total", MetricType::kCounter,
                 "Events of the audit log by act and decision: \"log-in\" is "
                 "the last step of a log-in, \"log-in-password\" the first.");
  for (const auto& [event, count] : parts_.audit->Counts()) {
    const bool allowed = event.second == AuditDecision::kAllow;
    writer->Sample(
        {{"act", event.first}, {"decision", allowed ? "allow" : "refuse"}},
        count);
  }
  std::map<JobState, int> jobs = parts_.jobs->CountByState();
  writer->Family("jobs", MetricType::kGauge,
                 "Jobs that have not ended, by state.");
  for (const JobState state :
       {v1::JOB_STATE_SUBMITTING, v1::JOB_STATE_PENDING, v1::JOB_STATE_STARTING,
        v1::JOB_STATE_READY, v1::JOB_STATE_STOPPING}) {
    writer->Sample({{"state", LabelOf(v1::JobState_Name(state), "JOB_STATE_")}},
                   jobs[state]);
  }
}

void BackendMonitoring::WriteSlurm(absl::Time now,
                                   MetricsWriter* writer) const {
  const SlurmSnapshotPtr slurm = parts_.scheduler->Snapshot();
  writer->Gauge("slurm_up", "1 if slurmctld responded to the last poll.",
                slurm->reachable ? 1 : 0);
  writer->Gauge("slurm_poll_age_seconds",
                "Since the start of the last successful poll of all jobs; +Inf "
                "before the first one.",
                absl::ToDoubleSeconds(now - slurm->asked_at));
  writer->Gauge("slurm_jobs", "Jobs of this portal that Slurm reports.",
                slurm->jobs.size());
  parts_.scheduler->polls().Write(
      {.total = "slurm_polls_total",
       .total_help = "Finished polls: of all jobs (full) or of some (partial).",
       .seconds = "slurm_poll_seconds",
       .seconds_help = "Durations of polls.",
       .kind = "scope",
       .result = "result"},
      writer);
}

// The root programs have no listener: they answer this client alone, so it sees
// every operation and its result.
void BackendMonitoring::WriteRootPrograms(MetricsWriter* writer) const {
  parts_.impersonator->operations().Write(
      {.total = "impersonator_operations_total",
       .total_help = "Operations of the impersonator by status code. "
                     "PERMISSION_DENIED: its policy refused; "
                     "FAILED_PRECONDITION: Slurm refused; UNAVAILABLE, ABORTED "
                     "and DEADLINE_EXCEEDED: it did not respond.",
       .seconds = "impersonator_operation_seconds",
       .seconds_help = "Durations of the impersonator's operations.",
       .kind = "operation",
       .result = "code"},
      writer);
  writer->Gauge("impersonator_operations_running",
                "Operations that the impersonator runs, a process each.",
                parts_.impersonator->operations().running());
  parts_.storage_reader->operations().Write(
      {.total = "storage_reader_operations_total",
       .total_help = "Readings of the storage reader by status code, as of the "
                     "impersonator.",
       .seconds = "storage_reader_operation_seconds",
       .seconds_help = "Durations of the storage reader's readings.",
       .kind = "operation",
       .result = "code"},
      writer);
  writer->Gauge("storage_reader_operations_running",
                "Readings that the storage reader runs, a process each.",
                parts_.storage_reader->operations().running());
}

void BackendMonitoring::WriteDatabase(MetricsWriter* writer) const {
  parts_.database->operations().Write(
      {.total = "database_operations_total",
       .total_help = "Operations of SQLite: query, transaction, and commit, "
                     "which is the last part of a transaction; failed: by an "
                     "error of the database or its disk.",
       .seconds = "database_operation_seconds",
       .seconds_help = "Durations of SQLite's operations, without waiting for "
                       "other operations.",
       .kind = "operation",
       .result = "result"},
      writer);
  const AuditLog::Health audit = parts_.audit->health();
  writer->Gauge("audit_entries_waiting",
                "Entries of the audit log that are not on the disk yet.",
                audit.waiting);
  absl::MutexLock lock(&mutex_);
  writer->Gauge("database_bytes", "Size of the database file.",
                disk_.database_bytes);
  writer->Gauge("database_log_bytes", "Size of the write-ahead log.",
                disk_.log_bytes);
  writer->Family("outbox_messages", MetricType::kGauge,
                 "Notifications that wait for their delivery, by channel.");
  if (disk_.mails_waiting) {
    writer->Sample({{"channel", "mail"}}, *disk_.mails_waiting);
  }
  if (disk_.webhooks_waiting) {
    writer->Sample({{"channel", "webhook"}}, *disk_.webhooks_waiting);
  }
}

void BackendMonitoring::WriteHealth(MetricsWriter* writer) const {
  writer->Family("component_state", MetricType::kGauge,
                 "1 for the state that a component of the site has, 0 for the "
                 "others. The page Health has the details.");
  for (const v1::ComponentHealth& row : parts_.health->Report()) {
    const std::string component = ComponentLabel(row.component());
    for (const v1::HealthState state :
         {v1::HEALTH_STATE_OK, v1::HEALTH_STATE_DEGRADED, v1::HEALTH_STATE_DOWN,
          v1::HEALTH_STATE_UNKNOWN, v1::HEALTH_STATE_DISABLED}) {
      writer->Sample(
          {{"component", component},
           {"state", LabelOf(v1::HealthState_Name(state), "HEALTH_STATE_")}},
          row.state() == state ? 1 : 0);
    }
  }
}

}  // namespace carme::backend
