// Requests with samples, as agents send them.
#ifndef CARME_TESTS_BACKEND_METRICS_SAMPLES_H_
#define CARME_TESTS_BACKEND_METRICS_SAMPLES_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "carme/v1/samples.pb.h"

namespace carme::metrics {

inline constexpr char kJob[] = "jaaaaaaaaaaaaaaa";
inline constexpr char kOtherJob[] = "jbbbbbbbbbbbbbbb";

inline v1::SampleSeries* AddSeries(const std::string& name, absl::Time first,
                                   absl::Duration step,
                                   const std::vector<double>& values,
                                   v1::NodeSamples* node) {
  v1::SampleSeries* series = node->add_series();
  series->set_name(name);
  for (size_t i = 0; i < values.size(); ++i) {
    series->add_times_ms(i == 0 ? absl::ToUnixMillis(first)
                                : absl::ToInt64Milliseconds(step));
    series->add_values(values[i]);
  }
  return series;
}

// One series of node n1 with one value a second, the last of them at `now`.
inline v1::WriteSamplesRequest OneSeries(const std::string& job, absl::Time now,
                                         const std::vector<double>& values) {
  v1::WriteSamplesRequest request;
  request.set_job_id(job);
  v1::NodeSamples* node = request.add_nodes();
  node->set_node("n1");
  node->set_sent_at_ms(absl::ToUnixMillis(now));
  const auto before = absl::Seconds(static_cast<int>(values.size()) - 1);
  AddSeries("carme_job_memory_bytes", now - before, absl::Seconds(1), values,
            node);
  return request;
}

// As it is sent.
inline std::string Encoded(const v1::WriteSamplesRequest& request) {
  return request.SerializeAsString();
}

}  // namespace carme::metrics

#endif  // CARME_TESTS_BACKEND_METRICS_SAMPLES_H_
