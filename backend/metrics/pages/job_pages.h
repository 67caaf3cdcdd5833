// What a person sees of a job: its series from the database or the archive.
#ifndef CARME_BACKEND_METRICS_PAGES_JOB_PAGES_H_
#define CARME_BACKEND_METRICS_PAGES_JOB_PAGES_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/metrics/archive/archive_store.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/query/database_reader.h"
#include "carme/v1/metrics.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "common/clock.h"

namespace carme::metrics {

// Thread-safe. Functions block for queries.
class JobPages {
 public:
  static constexpr int64_t kMaxPoints = 11'000;  // of a series in a response
  static constexpr int kMaxNames = 256;

  struct Parts {
    const ArchiveStore* store;
    const SampleIngest* ingest;
    DatabaseReader* reader;
    const Clock* clock;
  };
  // Pointers must outlive the object.
  explicit JobPages(const Parts& parts) : parts_(parts) {}

  // `job`: its record, which the caller may see. INVALID_ARGUMENT. A database
  // or an archive that cannot be read is no error: the response says so.
  absl::StatusOr<v1::GetJobMetricsResponse> Get(
      const v1::MeasuredJob& job, const v1::GetJobMetricsRequest& request);

  // The archive of the job, or one as it would be now. NOT_FOUND: there are no
  // samples.
  absl::StatusOr<archive::v1::JobArchive> WholeJob(const v1::MeasuredJob& job);

 private:
  archive::v1::JobNotes NotesOf(const std::string& job) const;
  absl::Status FillFromDatabase(const v1::MeasuredJob& job,
                                const std::set<std::string>& names,
                                const TimeGrid& grid,
                                v1::GetJobMetricsResponse* response);

  const Parts parts_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_JOB_PAGES_H_
