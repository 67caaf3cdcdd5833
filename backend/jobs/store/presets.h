// The table `presets`: what people want to start again, under names of theirs.
#ifndef CARME_BACKEND_JOBS_STORE_PRESETS_H_
#define CARME_BACKEND_JOBS_STORE_PRESETS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

struct Preset {
  std::string name{};
  JobSpec spec{};
};

// Thread-safe. The database's errors beside those that are named.
class Presets {
 public:
  static constexpr size_t kMost = 50;  // of one user
  static constexpr size_t kLongestSpec = 64 * 1024;

  // `database` outlives the presets.
  explicit Presets(Database* database) : database_(*database) {}

  absl::StatusOr<std::vector<Preset>> Of(Uid uid);  // by name
  // Takes the place of the user's preset of that name. INVALID_ARGUMENT;
  // RESOURCE_EXHAUSTED.
  absl::Status Save(Uid uid, const Preset& preset);
  absl::Status Delete(Uid uid, const std::string& name);

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_PRESETS_H_
