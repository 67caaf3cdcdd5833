#include "backend/metrics/wiring/metrics_monitoring.h"

#include <utility>

#include "absl/time/clock.h"
#include "backend/metrics/wiring/messages.h"
#include "common/metrics/metrics_writer.h"
#include "common/monitoring/certificate_metrics.h"

namespace carme::metrics {

MetricsMonitoring::MetricsMonitoring(const Parts& parts)
    : parts_(parts), started_(absl::Now()) {}

void MetricsMonitoring::SetServing(bool serving) {
  absl::MutexLock lock(&mutex_);
  serving_ = serving;
}

void MetricsMonitoring::SetCertificates(
    std::vector<CertificateHealth> certificates) {
  absl::MutexLock lock(&mutex_);
  certificates_ = std::move(certificates);
}

absl::Status MetricsMonitoring::Ready() const {
  absl::MutexLock lock(&mutex_);
  return serving_ ? absl::OkStatus()
                  : MakePlainError(wiring_messages::kBackendAway);
}

std::string MetricsMonitoring::Metrics() const {
  MetricsWriter writer("carme_metrics_");
  writer.Family("build_info", MetricType::kGauge,
                "Always 1; the label is the version of Carme.");
  writer.Sample({{"version", CARME_VERSION}}, 1);
  writer.Gauge("start_time_seconds",
               "Start of the process, in seconds since 1970.",
               absl::ToUnixSeconds(started_));
  const SampleIngest::Counts counts = parts_.ingest->counts();
  writer.Family("samples_total", MetricType::kCounter,
                "Samples by what was done with them: stored, repeated (had "
                "been stored before), rejected (malformed, too old, too new, "
                "too many series), refused (by the database).");
  writer.Sample({{"result", "stored"}}, counts.stored);
  writer.Sample({{"result", "repeated"}}, counts.repeated);
  writer.Sample({{"result", "rejected"}}, counts.rejected);
  writer.Sample({{"result", "refused"}}, counts.refused);
  writer.Counter("requests_over_rate_total",
                 "Requests that exceeded the rate of their job.",
                 counts.over_rate);
  writer.Gauge("jobs", "Jobs that send samples.", counts.jobs);
  writer.Gauge("series", "Series of these jobs.", counts.series);
  parts_.writer->writes().Write(
      {.total = "database_writes_total",
       .total_help = "Writes into the database by result: stored, refused "
                     "(for ever), failed (agents send again), busy (too many "
                     "at a time).",
       .seconds = "database_write_seconds",
       .seconds_help = "Durations of writes into the database.",
       .kind = "operation",
       .result = "result"},
      &writer);
  writer.Gauge("database_reachable",
               "1 if the database answered the last write.",
               parts_.writer->is_reachable() ? 1 : 0);
  const Archiver::Counts archives = parts_.archiver->counts();
  writer.Counter("jobs_archived_total", "Jobs that were archived.",
                 archives.archived);
  writer.Counter("archive_failures_total",
                 "Failed attempts to archive a job; it is tried again.",
                 archives.failed);
  writer.Counter("archives_removed_total",
                 "Archives that were removed because of their limits.",
                 archives.removed);
  writer.Gauge("jobs_to_archive", "Ended jobs without an archive yet.",
               archives.waiting);
  writer.Gauge("archives", "Archives on the disk.", archives.files);
  writer.Gauge("archive_bytes", "Their size.", archives.bytes);
  writer.Family("false_alarms_total", MetricType::kCounter,
                "Findings that owners of jobs reported as false alarms.");
  for (const auto& [rule, count] : parts_.findings->false_alarms()) {
    writer.Sample({{"rule", rule}}, count);
  }
  writer.Gauge("backend_connected", "1 if connected to the backend.",
               parts_.link->is_connected() ? 1 : 0);
  absl::MutexLock lock(&mutex_);
  WriteCertificates(certificates_, absl::Now(), &writer);
  return writer.Take();
}

}  // namespace carme::metrics
