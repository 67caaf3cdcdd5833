// The parts of backend.toml that jobs need: [limits.*], [[apps]], [portal].
#ifndef CARME_BACKEND_JOBS_MODEL_JOBS_CONFIG_H_
#define CARME_BACKEND_JOBS_MODEL_JOBS_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/environments/environments_config.h"
#include "backend/policy/spec/limits.h"
#include "common/config/config.h"

namespace carme::backend {

// [extension] and [idle].
struct LifeConfig {
  // The maximum walltime of a job with extensions; 0: no extensions.
  absl::Duration longest_walltime{};
  // When the user of an idle interactive job is warned, and how much later it
  // is stopped, unless its template sets other times; 0: never.
  absl::Duration idle_warning{};
  absl::Duration idle_stop{};
};

// [shared_images]: the directory for copies of users' shared images. Empty:
// jobs of other users read the owner's file and copy it into their scratch
// directory.
struct SharedImagesConfig {
  std::string directory;    // absolute, on a shared file system
  std::string account;      // the owner: a service account that Slurm knows
  std::string partition{};  // of the copy jobs; empty: the default
  bool offered() const { return !directory.empty(); }
};

// [limit_excess]: the action for a job that was changed in Slurm and exceeds a
// limit. Its user is always notified.
enum class ExcessAction { kNotify, kHold, kCancel };
struct ExcessConfig {
  ExcessAction pending = ExcessAction::kHold;
  ExcessAction running = ExcessAction::kCancel;
  absl::Duration grace = absl::Minutes(10);  // before a job is cancelled
};

struct JobsConfig {
  Limits user;            // [limits.user]; 0: no limit
  Limits admin;           // [limits.admin]
  std::vector<App> apps;  // [[apps]]; empty: every job is refused
  // [[images]], followed by kNoImage if node_system is "offered".
  std::vector<Image> images;
  SharedImagesConfig shared_images;
  EnvironmentsConfig environments;
  int max_array_tasks = 1000;  // [batch]; of one array; 0: no limit
  LifeConfig life;
  ExcessConfig excess;
  std::string portal_url;  // https://host[:port]
  // One of these two, host[:port]. Jobs are at <job id>.<jobs_domain>, or on
  // one host below /<job id>/.
  std::string jobs_domain;
  std::string jobs_host;
  std::string cluster;  // its name in the portal; may be empty

  bool by_path() const { return !jobs_host.empty(); }
  const Limits& LimitsOf(Role role) const {
    return role == Role::kAdmin ? admin : user;
  }
  const App* FindApp(std::string_view id) const;  // null: there is none
};

// Errors are reported by the file's Finish().
void ReadJobsConfig(ConfigTable root, JobsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOBS_CONFIG_H_
