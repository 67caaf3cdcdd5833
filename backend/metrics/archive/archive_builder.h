// Builds the archive of a job from the database.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_BUILDER_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_BUILDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/metrics/query/database_reader.h"
#include "carme/archive/v1/archive.pb.h"
#include "carme/v1/metrics_access.pb.h"

namespace carme::metrics {

// The archive without its series.
archive::v1::JobArchive ArchiveWithoutSeries(
    const v1::MeasuredJob& job, const archive::v1::JobNotes& notes);

// The source of a series; 0: not known.
class SourceIndex {
 public:
  explicit SourceIndex(const archive::v1::JobNotes& notes);
  uint32_t Find(const std::string& node, const std::string& series) const;

 private:
  std::map<std::pair<std::string, std::string>, uint32_t> sources_;
};

// A part of an archive.
struct ArchiveSelection {
  std::set<std::string> names{};  // of series; empty: all
  int64_t min_step_s = 1;
};

// The archive of a job up to its end or `now`, at the step that suits its
// length. Series of PeakSeries() have their peak if the step is larger than a
// second. Blocks for many queries; the errors of the reader.
absl::StatusOr<archive::v1::JobArchive> BuildArchive(
    const v1::MeasuredJob& job, const archive::v1::JobNotes& notes,
    absl::Time now, DatabaseReader* reader,
    const ArchiveSelection& selection = {});

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_BUILDER_H_
