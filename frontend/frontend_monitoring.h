// What the frontend answers to monitoring.
#ifndef CARME_FRONTEND_FRONTEND_MONITORING_H_
#define CARME_FRONTEND_FRONTEND_MONITORING_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/metrics/operation_meter.h"
#include "common/monitoring/monitored_program.h"
#include "common/pki/expiry.h"
#include "frontend/clusters/portal_clusters.h"
#include "frontend/gateway/gateway.h"

namespace carme::frontend {

// Thread-safe.
class FrontendMonitoring : public MonitoredProgram {
 public:
  // All must outlive the object.
  struct Parts {
    const OperationMeter* requests;
    const StreamLimiter* streams;
    const PortalClusters* clusters;
  };
  explicit FrontendMonitoring(const Parts& parts);

  void SetCertificates(std::vector<CertificateHealth> certificates);

  std::string Metrics() const override;
  // Not OK: not connected to the identity backend. Without a further one, all
  // other clusters can be used.
  absl::Status Ready() const override;

 private:
  const Parts parts_;
  const absl::Time started_;
  mutable absl::Mutex mutex_;
  std::vector<CertificateHealth> certificates_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_FRONTEND_MONITORING_H_
