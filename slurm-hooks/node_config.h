// Configuration of Carme's programs on a compute node (agent.toml). The agent
// reads it as the job's user, Prolog and Epilog as root.
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

// [job_storage]: a parallel file system that exists as long as a job.
struct JobStorage {
  std::vector<std::string> start;  // run as root; empty: no storage
  std::vector<std::string> stop;
  std::string directory;  // absolute; {job} is the job id
  int min_nodes = 1;      // of jobs that get storage; at least 1
  absl::Duration time_limit = absl::Seconds(60);  // of each command; 1 to 600 s
  // Has a file for each job whose storage was started on this node: the
  // runtime directory.
  std::string record_directory{};
};

// [use]: how the agent detects whether a job is in use.
struct UseConfig {
  // A command that prints the utilisation of each GPU of the job in percent,
  // one a line. Empty: GPU use is unknown, and jobs with GPUs count as in use.
  std::vector<std::string> gpu_command{};
  int min_cpu_percent = 10;                     // of one CPU; 1 to 100
  absl::Duration interval = absl::Seconds(60);  // 15 to 600 s
};

// [vet]: the site's vetting of the node before each job.
struct VetInProlog {
  bool in_prolog = false;
  std::string config = "/etc/carme/vet.yaml";     // absolute
  absl::Duration time_limit = absl::Seconds(10);  // 5 to 60 s
};

// [gpu]: samples of the GPUs of jobs.
struct GpuConfig {
  // Address of DCGM's host engine on this node: a loopback address with port,
  // or the absolute path of a socket. Empty: DCGM is not used.
  std::string dcgm_host_engine{};
};

struct NodeConfig {
  std::string backend;       // host:port of the backend's port for agents
  std::string backend_name;  // the DNS name its certificate must carry
  std::string ca;            // PEM file: authorities that may issue it
  // Absolute, at most 64 characters; contains one directory for each job.
  std::string runtime_directory = "/run/carme/jobs";
  // Same, on the node's disk: scratch and /tmp of jobs. Empty: none, and no
  // images.
  std::string scratch_directory = "/var/lib/carme/scratch";
  // Same, of root: failures of hooks that the backend has not received yet.
  std::string report_directory = "/var/spool/carme";
  // Limit for each job in GiB, allocated on the disk when the job starts; 0 to
  // 1048576, 0: no limit.
  int scratch_limit_gib = 0;
  std::string apptainer;               // absolute path; empty: not installed
  std::string srun = "/usr/bin/srun";  // absolute path of Slurm's srun
  // Patterns of glob(7): device files of GPUs other than NVIDIA's.
  std::vector<std::string> gpu_devices;
  int port_first = 34000;         // 1024 to 65535
  int port_last = 34999;          // not below port_first
  std::string feature = "carme";  // Slurm feature that marks Carme jobs
  JobStorage job_storage;
  UseConfig use;
  GpuConfig gpu;
  VetInProlog vet;
};

// Returns the directory of the storage for this job.
std::string JobStorageDirectory(const JobStorage& storage, SlurmJobId job);

// Returns the directories in which each job has its own directory.
std::vector<std::string> JobDirectories(const NodeConfig& config);

// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT with all errors and their
// lines.
absl::StatusOr<NodeConfig> LoadNodeConfig(const std::string& path);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_NODE_CONFIG_H_
