// Users' environment definition files: kept, rendered while they are written,
// and rendered for good when a job is submitted in one.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/environment_store.h"
#include "backend/environments/environments_config.h"
#include "backend/environments/job_environment.h"
#include "backend/environments/render_gate.h"
#include "backend/identity/session.h"
#include "backend/policy/spec/limits.h"
#include "common/clock.h"
#include "common/edf/render.h"

namespace carme::backend {

inline constexpr size_t kMaxEnvironmentBytes = 64 << 10;  // of one text
inline constexpr int kMaxEnvironments = 100;              // of one user
// The agent adds mounts to it, and a step carries 64 KiB.
inline constexpr size_t kMaxRenderedBytes = 48 << 10;

// Thread-safe. A user's environments are their uid's. Errors are in words for
// the user, but for those of the database.
class Environments {
 public:
  struct Parts {
    Database* database;
    const Clock* clock;
    // A user's home directory on the nodes; NOT_FOUND. May block.
    std::function<absl::StatusOr<std::string>(const std::string& user)> home_of;
    // What this user may start jobs in, the default first: what
    // `store#NAME[:VERSION]` may mean. May block.
    std::function<std::vector<Image>(const Session& user)> images_of;
  };
  Environments(const Parts& parts, const EnvironmentsConfig& config);

  bool offered() const { return config_.offered; }

  absl::StatusOr<std::vector<StoredEnvironment>> List(const Session& caller);
  std::vector<std::string> ListSites() const;
  absl::StatusOr<StoredEnvironment> Find(const Session& caller,
                                         const std::string& name);
  absl::StatusOr<std::string> FindSites(const std::string& name) const;

  // As EnvironmentStore; INVALID_ARGUMENT: the name or the size. This and
  // Render: FAILED_PRECONDITION where none are offered.
  absl::StatusOr<StoredEnvironment> Save(const Session& caller,
                                         const std::string& name,
                                         const std::string& text,
                                         int64_t revision);
  absl::Status Delete(const Session& caller, const std::string& name);

  // What `text`, which is or will be kept as `name`, amounts to. Problems of
  // the text are in the result, whose files are named as the caller knows them:
  // "base.toml", and "" for the text itself. INVALID_ARGUMENT: the size;
  // RESOURCE_EXHAUSTED: too many at a time; UNAVAILABLE.
  absl::StatusOr<EdfResult> Render(const Session& caller,
                                   const std::string& text,
                                   const std::string& name);

  // What a job of the caller's gets that is submitted in `environment`.
  // INVALID_ARGUMENT: it cannot be used, and why; others as Render.
  absl::StatusOr<JobEnvironment> Resolve(const Session& caller,
                                         const std::string& environment);

 private:
  absl::StatusOr<EdfContext> ContextOf(const Session& caller);
  absl::StatusOr<JobEnvironment> Pin(const Session& caller, Edf edf) const;

  const Parts parts_;
  const EnvironmentsConfig config_;
  EnvironmentStore store_;
  RenderGate gate_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_
