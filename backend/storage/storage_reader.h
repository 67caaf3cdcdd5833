// Reads the usage of a user's storage, as that user. The implementation uses
// carme-storage-reader.
#ifndef CARME_BACKEND_STORAGE_STORAGE_READER_H_
#define CARME_BACKEND_STORAGE_STORAGE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/slurm/submitter.h"

namespace carme::backend {

struct StorageAmount {
  uint64_t used = 0;
  uint64_t soft_limit = 0;  // 0: none
  uint64_t limit = 0;       // 0: none
};

struct StorageArea {
  std::string name = {};
  std::string path = {};
  StorageAmount bytes = {};
  StorageAmount files = {};                   // all 0: not counted
  std::optional<absl::Time> grace_ends = {};  // absent: below the soft limit
  bool shared = false;       // figures of the whole file system
  std::string problem = {};  // if not empty, there are no figures
};

// Thread-safe.
class StorageReader {
 public:
  virtual ~StorageReader() = default;
  // In the order of the site's configuration; at most 16. Blocks for at most
  // the configured time-out. UNAVAILABLE, RESOURCE_EXHAUSTED: try again later.
  // PERMISSION_DENIED: refused by the storage reader's policy. INTERNAL,
  // ABORTED, DEADLINE_EXCEEDED: the storage reader failed.
  virtual absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& request_id) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORAGE_STORAGE_READER_H_
