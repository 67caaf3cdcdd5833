#include "backend/jobs/agents/job_apps.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace carme::backend {

absl::StatusOr<std::vector<const App*>> AppsOf(const Job& job,
                                               const JobsConfig& config,
                                               const ImageCatalogue& images) {
  if (IsBatch(job)) return std::vector<const App*>();
  const App* const own = config.FindApp(job.spec.app);
  const bool in_image = job.spec.environment.empty();
  const std::optional<Image> image = images.Find(job.spec.image);
  if (own == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("app \"", job.spec.app, "\" is not offered now"));
  }
  if (in_image && !image) {
    return absl::FailedPreconditionError(
        absl::StrCat("image \"", job.spec.image, "\" is not offered now"));
  }
  std::vector<const App*> apps = {own};
  for (const App& app : config.apps) {
    if (&app == own) continue;
    if (!in_image || image->Has(app.id)) apps.push_back(&app);
  }
  return apps;
}

std::string HostLabelOf(const Job& job, const std::string& app) {
  if (app == job.spec.app) return job.id.value();
  return absl::StrCat(job.id.value(), "-", app);
}

std::string PublicHostOf(const Job& job, const std::string& app,
                         const JobsConfig& config) {
  if (config.by_path()) return config.jobs_host;
  return absl::StrCat(HostLabelOf(job, app), ".", config.jobs_domain);
}

std::string BasePathOf(const Job& job, const std::string& app,
                       const JobsConfig& config) {
  if (!config.by_path()) return "/";
  return absl::StrCat("/", HostLabelOf(job, app), "/");
}

bool NamesBase(const App& app) {
  for (const std::string& word : app.command) {
    if (absl::StrContains(word, "{base}")) return true;
  }
  return false;
}

}  // namespace carme::backend
