#include "common/metrics/operation_meter.h"

#include <numeric>
#include <utility>

#include "absl/time/clock.h"

namespace carme {
namespace {

constexpr int kStatusCodes = 17;  // absl::StatusCode is 0 to 16

std::vector<std::string> StatusCodeNames() {
  std::vector<std::string> names;
  for (int code = 0; code < kStatusCodes; ++code) {
    names.push_back(
        absl::StatusCodeToString(static_cast<absl::StatusCode>(code)));
  }
  return names;
}

}  // namespace

OperationMeter::OperationMeter(std::vector<std::string> kinds,
                               std::vector<std::string> results)
    : kinds_(std::move(kinds)),
      results_(std::move(results)),
      counts_(
          std::make_unique<MetricCounter[]>(kinds_.size() * results_.size())),
      durations_(std::make_unique<DurationHistogram[]>(kinds_.size())) {}

OperationMeter::OperationMeter(std::vector<std::string> kinds)
    : OperationMeter(std::move(kinds), StatusCodeNames()) {}

OperationMeter::Scope::Scope(OperationMeter* meter, size_t kind, size_t result)
    : meter_(*meter), kind_(kind), result_(result), began_(absl::Now()) {
  meter_.running_.fetch_add(1, std::memory_order_relaxed);
}

OperationMeter::Scope::~Scope() {
  meter_.running_.fetch_sub(1, std::memory_order_relaxed);
  meter_.Count(kind_, result_, absl::Now() - began_);
}

void OperationMeter::Write(const Families& families,
                           MetricsWriter* writer) const {
  writer->Family(families.total, MetricType::kCounter, families.total_help);
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (size_t result = 0; result < results_.size(); ++result) {
      const uint64_t count = counts_[kind * results_.size() + result].value();
      if (count == 0) continue;
      writer->Sample(
          {{families.kind, kinds_[kind]}, {families.result, results_[result]}},
          count);
    }
  }
  writer->Family(families.seconds, MetricType::kHistogram,
                 families.seconds_help);
  for (size_t kind = 0; kind < kinds_.size(); ++kind) {
    const DurationCounts counts = durations_[kind].counts();
    const uint64_t all = std::accumulate(counts.by_bucket.begin(),
                                         counts.by_bucket.end(), uint64_t{0});
    if (all > 0) writer->Histogram({{families.kind, kinds_[kind]}}, counts);
  }
}

}  // namespace carme
