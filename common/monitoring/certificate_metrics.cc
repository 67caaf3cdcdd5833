#include "common/monitoring/certificate_metrics.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace carme {

void WriteCertificates(const std::vector<CertificateHealth>& certificates,
                       absl::Time now, MetricsWriter* writer) {
  std::map<std::pair<std::string, std::string>, absl::Time> ends;
  for (const CertificateHealth& one : certificates) {
    const auto [end, is_new] =
        ends.try_emplace({one.program, one.name}, one.not_after);
    if (!is_new) end->second = std::min(end->second, one.not_after);
  }
  writer->Family("certificate_remaining_seconds", MetricType::kGauge,
                 "Until the certificate or revocation list expires; negative "
                 "afterwards.");
  for (const auto& [of, end] : ends) {
    writer->Sample({{"owner", of.first}, {"name", of.second}},
                   absl::ToInt64Seconds(end - now));
  }
}

}  // namespace carme
