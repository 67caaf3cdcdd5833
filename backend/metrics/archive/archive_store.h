// The archives of ended jobs: a file for each, and limits for all of them.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/archive/v1/archive.pb.h"
#include "common/unique_fd.h"

namespace carme::metrics {

// Thread-safe: files are replaced atomically.
class ArchiveStore {
 public:
  struct Limits {
    int64_t bytes_per_job = int64_t{16} << 20;
    int64_t bytes_total = int64_t{100} << 30;
    absl::Duration max_age = absl::Hours(24) * 730;
  };
  // `directory`: exists, and is of this user alone.
  ArchiveStore(std::string directory, const Limits& limits);

  // Makes the archive coarser until it fits into its limit; then leaves out
  // series. Errors of the file system.
  absl::Status Write(archive::v1::JobArchive archive) const;
  // NOT_FOUND, and the errors of DecodeArchive. REQUIRES: `job` is an id.
  absl::StatusOr<archive::v1::JobArchive> Read(const std::string& job) const;
  // The same with the series whose names `keeps` answers true for.
  absl::StatusOr<archive::v1::JobArchive> ReadSeries(
      const std::string& job,
      absl::FunctionRef<bool(std::string_view name)> keeps) const;
  // Without series, of which the file is not read.
  absl::StatusOr<archive::v1::JobArchive> ReadHead(
      const std::string& job) const;
  bool Has(const std::string& job) const;

  struct Totals {
    int64_t files = 0;
    int64_t bytes = 0;
    int64_t removed = 0;  // by this call
  };
  // Removes archives that are too old, then the oldest ones while all of them
  // are too large. Call it periodically.
  Totals Enforce(absl::Time now) const;

 private:
  std::string PathOf(const std::string& job) const;
  absl::StatusOr<UniqueFd> Open(const std::string& job) const;

  const std::string directory_;
  const Limits limits_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_
