// What a project, or anybody without one, may ask for: a plain value.
#ifndef CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_
#define CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme::backend {

// 0 and empty: no limit of the template's. It only narrows what role and Slurm
// allow.
struct JobTemplate {
  std::string id{};  // 16 lower-case characters
  std::string name{};
  std::string description{};
  std::string partition{};  // where its jobs run; empty: as asked for
  std::vector<std::string> gpu_types{};  // the first is the default
  bool no_gpus = false;                  // its jobs have none
  int max_gpus_per_node = 0;
  int max_nodes = 0;  // of a job with its companions
  int max_jobs = 0;   // of one user by this template, that have not ended
  absl::Duration max_walltime{};
  int cpus_per_gpu = 0;
  int64_t memory_per_gpu_mib = 0;
  std::vector<std::string> images{};  // ids
  std::string account{};  // Slurm's; empty: the project's, or the user's own
  std::string qos{};
  std::string reservation{};
  // How long a job may become by extensions in all; 0: as max_walltime.
  absl::Duration max_extended_walltime{};
  // When an interactive job that nobody uses is warned, and then stopped; 0:
  // never.
  absl::Duration idle_warning{};
  absl::Duration idle_stop{};  // after the warning
  friend bool operator==(const JobTemplate&, const JobTemplate&) = default;
};

// One that a job may go by, and how many of the user's do so now.
struct TemplateChoice {
  JobTemplate job_template{};
  int jobs_now = 0;
};

// What a job's template is chosen from.
struct TemplateOffer {
  std::vector<TemplateChoice> choices{};  // by name
  bool needed = false;                    // by one of these or not at all
  bool unknown = false;                   // nobody could tell
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_
