#include "backend/jobs/agents/job_apps.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/agents/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {

absl::StatusOr<std::vector<const App*>> AppsOf(const Job& job,
                                               const JobsConfig& config,
                                               const ImageCatalogue& images) {
  if (IsBatch(job)) return std::vector<const App*>();
  const App* const own = config.FindApp(job.spec.app);
  const bool in_image = job.spec.environment.empty();
  const std::optional<Image> image = images.Find(job.spec.image);
  if (own == nullptr) {
    return MakeError(job_agent_messages::kAppNotOffered,
                     {{"app", job.spec.app}});
  }
  if (in_image && !image) {
    return MakeError(job_agent_messages::kImageNotOffered,
                     {{"image", job.spec.image}});
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
