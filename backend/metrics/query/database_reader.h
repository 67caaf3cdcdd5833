// Reads samples from the database: the HTTP API of Prometheus.
#ifndef CARME_BACKEND_METRICS_QUERY_DATABASE_READER_H_
#define CARME_BACKEND_METRICS_QUERY_DATABASE_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/metrics/ingest/remote_writer.h"
#include "backend/metrics/query/matrix_answer.h"
#include "common/concurrency/concurrency_limiter.h"

namespace carme::metrics {

// A time or a duration as the HTTP API expects it: 5000 is "5.000".
std::string UnixSeconds(int64_t ms);

struct TimeGrid {
  int64_t from_ms = 0;
  int64_t to_ms = 0;  // the last point is not after it
  int64_t step_s = 1;

  int64_t points() const {
    return to_ms < from_ms ? 0 : (to_ms - from_ms) / (step_s * 1000) + 1;
  }
};

// Thread-safe. Functions block. UNAVAILABLE: no answer, or too many queries at
// the same time; INVALID_ARGUMENT: the database refuses the query;
// RESOURCE_EXHAUSTED: the answer is too large.
class DatabaseReader {
 public:
  static constexpr size_t kMaxAnswerBytes = size_t{256} << 20;
  static constexpr int64_t kMaxPoints = 10'000;  // of a series in a query
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  DatabaseReader(DatabaseAddress address, absl::Duration timeout);

  // The names of the series of a job.
  absl::StatusOr<std::vector<std::string>> NamesOf(const std::string& job,
                                                   int64_t from_ms,
                                                   int64_t to_ms);
  // The series of one name at the points of the grid. `window_s`: a point has
  // the last sample of a counter ("_total") in this time before it, and the
  // mean of the samples of another series; none without samples.
  absl::StatusOr<std::vector<MatrixSeries>> Read(const std::string& job,
                                                 const std::string& name,
                                                 const TimeGrid& grid,
                                                 int64_t window_s);
  // The same, but a point has the largest sample in this time before it.
  absl::StatusOr<std::vector<MatrixSeries>> ReadLargest(const std::string& job,
                                                        const std::string& name,
                                                        const TimeGrid& grid,
                                                        int64_t window_s);
  // Of the series of one name, by node and GPU: a point has the largest sample
  // in `window_s` before it; none without samples.
  absl::StatusOr<std::vector<MatrixSeries>> ReadLargestOfGpus(
      const std::string& job, const std::string& name, const TimeGrid& grid,
      int64_t window_s);
  // A request to the HTTP API. Its selectors are restricted already.
  struct Question {
    std::string method;  // "GET" or "POST"
    std::string path;    // "/api/v1/labels"
    Parameters parameters;
  };
  // `data` of the answer, restricted to `jobs` once more by the database if it
  // can do that. RESOURCE_EXHAUSTED also: more than `max_bytes`.
  absl::StatusOr<std::string> Ask(Question question,
                                  const std::vector<std::string>& jobs,
                                  size_t max_bytes);
  // The answer to a query, restricted to `jobs` as above. REQUIRES:
  // RestrictPromql() made `query`.
  absl::StatusOr<std::string> QueryRange(const std::string& query,
                                         const std::vector<std::string>& jobs,
                                         const TimeGrid& grid);

 private:
  // The series of a query, which selects `job` only. Queries in parts.
  absl::StatusOr<std::vector<MatrixSeries>> ReadGrid(const std::string& job,
                                                     const std::string& query,
                                                     const TimeGrid& grid);
  absl::StatusOr<std::string> Send(Question question,
                                   const std::vector<std::string>& jobs,
                                   size_t max_bytes);

  const DatabaseAddress address_;
  const absl::Duration timeout_;
  ConcurrencyLimiter<int> limiter_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_DATABASE_READER_H_
