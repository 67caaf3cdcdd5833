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
  // How long a job may become by extensions in all; 0: they are not offered.
  absl::Duration longest_walltime{};
  // When an interactive job that nobody uses is warned about, and how much
  // later it is stopped, where its template says nothing; 0: never.
  absl::Duration idle_warning{};
  absl::Duration idle_stop{};
};

// [shared_images]: where users' images are kept for others. Empty: jobs of
// others read the owner's file and copy it into their scratch.
struct SharedImagesConfig {
  std::string directory;  // absolute, on a file system that all nodes have
  std::string account;    // whose it is: no person's, and known to Slurm
  std::string partition;  // of the jobs that copy; empty: the default
  bool offered() const { return !directory.empty(); }
};

// [limit_excess]: what is done with a job that was changed in Slurm so that it
// exceeds a limit. Its user is notified in any case.
enum class ExcessAction { kNotify, kHold, kCancel };
struct ExcessConfig {
  ExcessAction pending = ExcessAction::kHold;
  ExcessAction running = ExcessAction::kCancel;
  absl::Duration grace = absl::Minutes(10);  // before a job is cancelled
};

struct JobsConfig {
  Limits user;   // [limits.user]; every value from 0, which means no limit
  Limits admin;  // [limits.admin]
  std::vector<App> apps;  // [[apps]]; none: every job is refused
  // [[images]] and, where node_system is "offered", kNoImage: at the end, or
  // alone.
  std::vector<Image> images;
  SharedImagesConfig shared_images;
  EnvironmentsConfig environments;
  int max_array_tasks = 1000;  // [batch]; of one array; 0: no limit
  LifeConfig life;
  ExcessConfig excess;
  std::string portal_url;  // https://host[:port]
  // One of these two, host[:port]. Jobs are <job id>.<jobs_domain>, or on one
  // host, below /<job id>/.
  std::string jobs_domain;
  std::string jobs_host;

  bool by_path() const { return !jobs_host.empty(); }
  const Limits& LimitsOf(Role role) const {
    return role == Role::kAdmin ? admin : user;
  }
  const App* FindApp(std::string_view id) const;  // null when there is none
};

// Errors are reported by the file's Finish().
void ReadJobsConfig(ConfigTable root, JobsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOBS_CONFIG_H_
