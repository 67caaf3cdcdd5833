// What carme-metrics answers to monitoring.
#ifndef CARME_BACKEND_METRICS_WIRING_METRICS_MONITORING_H_
#define CARME_BACKEND_METRICS_WIRING_METRICS_MONITORING_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/metrics/archive/archiver.h"
#include "backend/metrics/ingest/remote_writer.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/jobs/metrics_access_client.h"
#include "backend/metrics/pages/finding_pages.h"
#include "common/monitoring/monitored_program.h"
#include "common/pki/expiry.h"

namespace carme::metrics {

// Thread-safe.
class MetricsMonitoring : public MonitoredProgram {
 public:
  // All must outlive the object.
  struct Parts {
    const SampleIngest* ingest;
    const RemoteWriter* writer;
    const Archiver* archiver;
    const FindingPages* findings;
    const MetricsAccessClient* link;
  };
  explicit MetricsMonitoring(const Parts& parts);

  // Whether agents can connect.
  void SetServing(bool serving);
  void SetCertificates(std::vector<CertificateHealth> certificates);

  std::string Metrics() const override;
  // Not OK: agents cannot connect. A database that is away is no reason: others
  // have none either.
  absl::Status Ready() const override;

 private:
  const Parts parts_;
  const absl::Time started_;
  mutable absl::Mutex mutex_;
  bool serving_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<CertificateHealth> certificates_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_WIRING_METRICS_MONITORING_H_
