// What jobs of a project, or of users without one, may request.
#ifndef CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_
#define CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/gpu_idle_policy.h"

namespace carme::backend {

// 0 and empty: the template sets no limit. A template only narrows the limits
// of role and Slurm.
struct JobTemplate {
  std::string id{};  // 16 lower-case characters
  std::string name{};
  std::string description{};
  std::string partition{};               // of its jobs; empty: as requested
  std::vector<std::string> gpu_types{};  // the first is the default
  bool no_gpus = false;                  // its jobs have no GPUs
  int max_gpus_per_node = 0;
  int max_nodes = 0;  // of a job with its linked jobs
  int max_jobs = 0;   // active jobs of one user with this template
  absl::Duration max_walltime{};
  int cpus_per_gpu = 0;
  int64_t memory_per_gpu_mib = 0;
  std::vector<std::string> images{};  // ids
  std::string
      account{};  // Slurm account; empty: the project's or the user's own
  std::string qos{};
  std::string reservation{};
  // The maximum walltime with extensions; 0: max_walltime.
  absl::Duration max_extended_walltime{};
  // When the user of an idle interactive job is warned, and when it is stopped;
  // 0: never.
  absl::Duration idle_warning{};
  absl::Duration idle_stop{};  // after the warning
  std::optional<GpuIdlePolicy> gpu_idle{};
  friend bool operator==(const JobTemplate&, const JobTemplate&) = default;
};

// A template that a job may use, and the number of the user's active jobs with
// it.
struct TemplateChoice {
  JobTemplate job_template{};
  int jobs_now = 0;
};

// The templates to choose from.
struct TemplateOffer {
  std::vector<TemplateChoice> choices{};  // by name
  bool needed = false;                    // a job must use one of them
  bool unknown = false;                   // they could not be read
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_JOB_TEMPLATE_H_
