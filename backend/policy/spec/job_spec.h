// What a user requests: carme.v1.JobSpec as a plain value.
#ifndef CARME_BACKEND_POLICY_SPEC_JOB_SPEC_H_
#define CARME_BACKEND_POLICY_SPEC_JOB_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "carme/v1/jobs.pb.h"

namespace carme::backend {

// A file or directory to copy, and its destination.
struct StageItem {
  std::string from;
  std::string to;
  friend bool operator==(const StageItem&, const StageItem&) = default;
};

using DependencyKind = v1::DependencyKind;

struct JobDependency {
  std::string job{};  // job id of Carme
  DependencyKind kind = v1::DEPENDENCY_KIND_UNSPECIFIED;
  friend bool operator==(const JobDependency&, const JobDependency&) = default;
};

// What a batch job runs: a command or a script.
struct BatchSpec {
  std::string command{};
  std::string script{};
  std::vector<std::string> arguments{};
  std::string working_directory{};
  std::string output{};
  std::string error{};
  std::string array{};  // Slurm's syntax; empty: not an array
  std::vector<JobDependency> dependencies{};
  friend bool operator==(const BatchSpec&, const BatchSpec&) = default;
};

// 0 and empty mean absent: the policy fills in the default.
struct JobSpec {
  std::string name{};
  int nodes = 0;
  int gpus_per_node = 0;   // 0: none
  std::string gpu_type{};  // empty: any
  int cpus_per_node = 0;
  int64_t memory_per_node_mib = 0;
  absl::Duration walltime{};
  std::string partition{};
  std::string app{};
  std::string image{};                 // an image's id
  std::string environment{};           // instead of an image: a name or a path
  std::vector<StageItem> stage_in{};   // `to` is in the scratch directory
  std::vector<StageItem> stage_out{};  // `from` is in the scratch directory
  // The id of the image that the job builds instead of running an app.
  std::string builds{};
  // The id of the job to which this one adds its nodes; it uses the image or
  // environment of that job.
  std::string linked_to{};
  std::string project{};                 // a project's id
  std::string job_template{};            // a template's id
  std::string qos{};                     // Slurm QOS
  std::string reservation{};             // its name
  std::optional<absl::Time> start_at{};  // not before
  std::optional<BatchSpec> batch{};      // instead of an app
  std::vector<int> notify{};             // numbers of carme.v1.JobEvent
  std::string description{};             // free text, only shown
  // Set: the nodes are vetted first, and the job needs this many healthy ones.
  std::optional<int> required_nodes{};
  // With required_nodes: if the job ends because of nodes that are not healthy,
  // it is submitted again without them.
  bool resubmit = false;
  std::vector<std::string> excluded_nodes{};  // that it must not run on
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_JOB_SPEC_H_
