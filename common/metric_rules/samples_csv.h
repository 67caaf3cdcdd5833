// Reads samples from the CSV file that carme-metrics exports.
#ifndef CARME_COMMON_METRIC_RULES_SAMPLES_CSV_H_
#define CARME_COMMON_METRIC_RULES_SAMPLES_CSV_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/metric_rules/rule_evaluation.h"

namespace carme::metric_rules {

inline constexpr size_t kMaxSampleRows = 5'000'000;

// Rows time_s,node,name,labels,value with labels a=b;c=d. A row whose name is
// "event:KIND" is an event. Rows of a series are in the order of their times.
// `path` is for messages. INVALID_ARGUMENT.
absl::StatusOr<JobSamples> ParseSamplesCsv(std::string_view text,
                                           const std::string& path);

}  // namespace carme::metric_rules

#endif  // CARME_COMMON_METRIC_RULES_SAMPLES_CSV_H_
