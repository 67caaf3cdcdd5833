// The table `presets`: job specs that users saved under a name.
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

// Thread-safe. Errors are the database's unless named.
class Presets {
 public:
  static constexpr size_t kMaxPresets = 50;  // per user
  static constexpr size_t kLongestSpec = 64 * 1024;

  // `database` must outlive this.
  explicit Presets(Database* database) : database_(*database) {}

  absl::StatusOr<std::vector<Preset>> Of(Uid uid);  // by name
  // Replaces the user's preset with that name. INVALID_ARGUMENT;
  // RESOURCE_EXHAUSTED.
  absl::Status Save(Uid uid, const Preset& preset);
  absl::Status Delete(Uid uid, const std::string& name);

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STORE_PRESETS_H_
