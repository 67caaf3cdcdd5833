// Facts about the job and its node, read and checked once before the agent does
// anything else: the job's directories, its user, its environment variables.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_JOB_FACTS_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_JOB_FACTS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "slurm-hooks/node_config.h"

namespace carme::agent {

// Returns the path of `<parent>/<job>` after checking it: the mode of the
// directory is the only barrier between the apps and other users of the node.
// NOT_FOUND: the Prolog did not create it; FAILED_PRECONDITION: a link, a file,
// not owned by `uid`, or not 0700.
absl::StatusOr<std::string> FindJobDirectory(const std::string& parent,
                                             SlurmJobId job, Uid uid);

// Returns the reason why the Prolog could not prepare the job; empty if there
// is none.
std::string ReadPrologFailure(const std::string& parent, SlurmJobId job);

// The id of the request that submitted the job, from the batch script; empty if
// there is none, as in a job of an older release.
std::string ReadRequestId();

// What the environment of a job gets from the node and the job.
struct EnvironmentFacts {
  std::string apptainer;  // path of the program; empty: not installed
  std::string srun = {};  // path of the program
  std::string node = {};  // Slurm's name of this node
  std::string programs;   // directory of carme-init and programs for apps
  std::string directory;  // the job's runtime directory
  std::string scratch;    // the job's directory on the node's disk, or empty
  std::string storage{};  // in the job's parallel file system, or empty
  std::string home;       // the user's home directory
  std::string metrics_socket{};  // for programs that report values, or empty
  bool nvidia = false;  // the node has NVIDIA's driver and the job has GPUs
  std::vector<std::string> devices;  // other device files the job may open
};

struct UserAccount {
  std::string name;
  std::string home;
  std::string shell;
};

struct JobFacts {
  EnvironmentFacts environment;
  UserAccount account;
  std::vector<std::string> variables;  // environment of the job, "NAME=value"
  // The other nodes that may be used; empty: all of the job.
  std::vector<std::string> vetted_nodes{};
  mode_t umask = 077;       // for files of apps
  std::string address;      // IP literal of the node towards the backend
  std::string config_path;  // path of agent.toml
  UseConfig use{};
  GpuConfig gpu{};
};

// Reads the facts and sets this process's umask to 077. NOT_FOUND: the uid has
// no name, or the Prolog did not run; FAILED_PRECONDITION: a directory is not
// as the Prolog creates it.
absl::StatusOr<JobFacts> ReadJobFacts(const NodeConfig& config, SlurmJobId job);

// Returns the device files that match the patterns of glob(7) and that this
// process may open: in a job, those of its own GPUs.
std::vector<std::string> OpenableDevices(
    const std::vector<std::string>& patterns);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_JOB_FACTS_H_
