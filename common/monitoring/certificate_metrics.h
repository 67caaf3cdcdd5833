// The remaining time of certificates as a metric.
#ifndef CARME_COMMON_MONITORING_CERTIFICATE_METRICS_H_
#define CARME_COMMON_MONITORING_CERTIFICATE_METRICS_H_

#include <vector>

#include "absl/time/time.h"
#include "common/metrics/metrics_writer.h"
#include "common/pki/expiry.h"

namespace carme {

// The family certificate_remaining_seconds. Of certificates with the same
// program and name, the one that expires first.
void WriteCertificates(const std::vector<CertificateHealth>& certificates,
                       absl::Time now, MetricsWriter* writer);

}  // namespace carme

#endif  // CARME_COMMON_MONITORING_CERTIFICATE_METRICS_H_
