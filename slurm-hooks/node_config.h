// What Carme's programs on a compute node are told, by agent.toml. Read by the
// agent as the job's user, by Prolog and Epilog as root.
#ifndef CARME_SLURM_HOOKS_NODE_CONFIG_H_
#define CARME_SLURM_HOOKS_NODE_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace carme {

inline constexpr std::string_view kNodeConfigPath = "/etc/carme/agent.toml";

// [job_storage]: a parallel file system that lives as long as a job.
struct JobStorage {
  std::vector<std::string> start;  // a command of root's; empty: none
  std::vector<std::string> stop;
  std::string directory;  // absolute; {job} is the job's number
  int min_nodes = 1;      // that a job must have for it; at least 1
  absl::Duration time_limit = absl::Seconds(60);  // of each; 1 to 600 s
};

// [use]: how it is seen whether a job is used.
struct UseConfig {
  // Prints a line for each GPU of the job with its use in percent; empty: the
  // use of GPUs cannot be seen, and jobs with GPUs are taken for used.
  std::vector<std::string> gpu_command{};
  int min_cpu_percent = 10;                     // of one processor; 1 to 100
  absl::Duration interval = absl::Seconds(60);  // 15 to 600 s
};

struct NodeConfig {
  std::string backend;       // host:port of the backend's port for agents
  std::string backend_name;  // the DNS name its certificate must carry
  std::string ca;            // PEM file: who may have issued that certificate
  // Absolute, at most 64 characters; one directory a job in it.
  std::string runtime_directory = "/run/carme/jobs";
  // As above, on the node's disk: the scratch and /tmp of jobs. Empty: none,
  // and then no images.
  std::string scratch_directory = "/var/lib/carme/scratch";
  // What a job may put there, in GiB, taken from the disk when the job begins;
  // 0 to 1048576, 0: no limit but the disk's.
  int scratch_limit_gib = 0;
  std::string apptainer;  // absolute path of the program; empty: none
  std::string srun =
      "/usr/bin/srun";  // absolute path of Slurm's command, for steps
  // Patterns of glob(7): device files of GPUs that are not NVIDIA's.
  std::vector<std::string> gpu_devices;
  int port_first = 34000;         // 1024 to 65535
  int port_last = 34999;          // not below port_first
  std::string feature = "carme";  // Slurm's feature of Carme's jobs
  JobStorage job_storage;
  UseConfig use;
};

// The storage's directory with the job's number in it.
std::string JobStorageDirectory(const JobStorage& storage, SlurmJobId job);

// Where a job has a directory of its own each.
std::vector<std::string> JobDirectories(const NodeConfig& config);

// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT with every error and its line.
absl::StatusOr<NodeConfig> LoadNodeConfig(const std::string& path);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_NODE_CONFIG_H_
