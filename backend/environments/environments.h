// Users' environment definition files: stored, rendered while they are edited,
// and rendered when a job is submitted.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/environment_form.h"
#include "backend/environments/environment_store.h"
#include "backend/environments/environments_config.h"
#include "backend/environments/rendered_environment.h"
#include "backend/identity/home_lookup.h"
#include "backend/identity/session.h"
#include "backend/images/usable_images.h"
#include "backend/policy/spec/limits.h"
#include "common/clock.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/edf/render.h"

namespace carme::backend {

inline constexpr size_t kMaxEnvironmentBytes = 64 << 10;  // per text
inline constexpr int kMaxEnvironments = 100;              // per user
// The agent adds mounts, and a step carries 64 KiB.
inline constexpr size_t kMaxRenderedBytes = 48 << 10;

// A text with its settings, or problems.
struct EnvironmentFormResult {
  std::string text;
  std::optional<v1::EnvironmentForm> form;
  EdfProblems problems;
};

// Thread-safe. Environments belong to a uid. Errors have a message for the
// user, except those of the database.
class Environments {
 public:
  struct Parts {
    Database* database;
    const Clock* clock;
    HomeLookup* homes;
    UsableImages* images;  // for `store#NAME[:VERSION]`
  };
  Environments(const Parts& parts, const EnvironmentsConfig& config);

  bool offered() const { return config_.offered; }

  absl::StatusOr<std::vector<StoredEnvironment>> List(const Session& caller);
  std::vector<std::string> ListSites() const;
  absl::StatusOr<StoredEnvironment> Find(const Session& caller,
                                         const std::string& name);
  absl::StatusOr<std::string> FindSites(const std::string& name) const;

  // As EnvironmentStore; INVALID_ARGUMENT: the name or the size. This and
  // Render: FAILED_PRECONDITION: not offered.
  absl::StatusOr<StoredEnvironment> Save(const Session& caller,
                                         const std::string& name,
                                         const std::string& text,
                                         int64_t revision);
  absl::Status Delete(const Session& caller, const std::string& name);

  // Renders `text`, which is or will be stored as `name`. Problems of the text
  // are part of the result; they name files as the caller knows them:
  // "base.toml", and "" for the text itself. INVALID_ARGUMENT: the size;
  // RESOURCE_EXHAUSTED: too many at a time; UNAVAILABLE.
  absl::StatusOr<EdfResult> Render(const Session& caller,
                                   const std::string& text,
                                   const std::string& name);

  // The settings of `text`, as environment_form.h. Errors as Render.
  absl::StatusOr<EnvironmentFormResult> ReadForm(const Session& caller,
                                                 const std::string& text);
  // The text with other settings.
  absl::StatusOr<EnvironmentFormResult> WriteForm(
      const Session& caller, const std::string& text,
      const v1::EnvironmentForm& before, const v1::EnvironmentForm& after);

  // The environment of a job that the caller submits in `environment`.
  // INVALID_ARGUMENT: why it cannot be used; others as Render.
  absl::StatusOr<RenderedEnvironment> Resolve(const Session& caller,
                                              const std::string& environment);

 private:
  absl::StatusOr<EdfContext> ContextOf(const Session& caller);
  absl::StatusOr<RenderedEnvironment> Pin(const Session& caller, Edf edf) const;

  const Parts parts_;
  const EnvironmentsConfig config_;
  EnvironmentStore store_;
  ConcurrencyLimiter<Uid> renderings_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_H_
