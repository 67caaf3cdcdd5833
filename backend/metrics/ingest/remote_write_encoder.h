// Encodes the request of Prometheus remote-write 1.0 (proto/prometheus) without
// building its messages.
#ifndef CARME_BACKEND_METRICS_INGEST_REMOTE_WRITE_ENCODER_H_
#define CARME_BACKEND_METRICS_INGEST_REMOTE_WRITE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "backend/metrics/ingest/sample_rules.h"

namespace carme::metrics {

// Not thread-safe. An object that is used again allocates nothing for requests
// of the same size.
class RemoteWriteEncoder {
 public:
  // Begins a series. Returns its encoded labels, which are different for each
  // series, until the next call. `labels` are valid (sample_rules.h); one with
  // an empty value is absent to databases, and not encoded.
  std::string_view BeginSeries(std::string_view name, std::string_view job,
                               std::string_view node,
                               absl::Span<const SampleLabel> labels);
  void AddSample(int64_t time_ms, double value);
  // Encodes the series, if it has samples.
  void EndSeries();

  // A serialised prometheus::WriteRequest.
  const std::string& bytes() const { return bytes_; }
  void Clear();

 private:
  // The memory of series_, of at least so many bytes.
  uint8_t* Room(size_t bytes);

  std::string bytes_;
  std::vector<uint8_t> series_;  // the first size_ are used
  size_t size_ = 0;
  size_t labels_size_ = 0;  // of size_
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_INGEST_REMOTE_WRITE_ENCODER_H_
