// The table `job_extensions`: extensions, recorded before Slurm is asked.
#ifndef CARME_BACKEND_JOBS_STORE_EXTENSION_TABLE_H_
#define CARME_BACKEND_JOBS_STORE_EXTENSION_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

struct ExtensionRow {
  int64_t id = 0;
  JobId job;
  std::string key;      // the client's idempotency key; may be empty
  absl::Duration from;  // total walltime
  absl::Duration to;
  absl::Time asked_at;
  bool done = false;  // applied in Slurm; false: not known
};

// REQUIRES for all: in the body of a transaction or query.
absl::StatusOr<std::optional<ExtensionRow>> FindExtension(
    Database& db, const JobId& job, const std::string& key);
absl::StatusOr<std::optional<ExtensionRow>> OpenExtension(Database& db,
                                                          const JobId& job);
absl::StatusOr<std::vector<ExtensionRow>> OpenExtensions(Database& db);
absl::StatusOr<int64_t> CountExtensions(Database& db, const JobId& job);
// Returns the id. ALREADY_EXISTS is a database error: call FindExtension first.
absl::StatusOr<int64_t> InsertExtension(Database& db, const ExtensionRow& row);
absl::Status MarkExtensionDone(Database& db, int64_t id);
absl::Status RemoveExtension(Database& db, int64_t id);
// Writes the spec of a job in the table `jobs`.
absl::Status WriteSpec(Database& db, const JobId& job, const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_EXTENSION_TABLE_H_
