// The archives of ended jobs: a file for each, and limits for all of them.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// A JobArchive as a zstd frame, and back. DATA_LOSS, FAILED_PRECONDITION: a
// later schema. `job` is for the message.
std::string EncodeArchive(const archive::v1::JobArchive& archive);
absl::StatusOr<archive::v1::JobArchive> DecodeArchive(const std::string& job,
                                                      const std::string& bytes);

// Thread-safe: files are replaced atomically.
class ArchiveStore {
 public:
  static constexpr uint32_t kSchema = 1;
  // Of a decoded archive.
  static constexpr size_t kMaxDecodedBytes = size_t{1} << 30;

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
  // The receipt in the archive; reads no series. NOT_FOUND: there is no
  // archive, or an old one without a receipt.
  absl::StatusOr<v1::JobReceipt> ReadReceipt(const std::string& job) const;
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
  absl::StatusOr<std::string> ReadBytes(const std::string& job) const;

  const std::string directory_;
  const Limits limits_;
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_STORE_H_
