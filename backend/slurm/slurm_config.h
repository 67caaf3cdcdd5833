// The tables [slurm] and [impersonator] of backend.toml.
#ifndef CARME_BACKEND_SLURM_SLURM_CONFIG_H_
#define CARME_BACKEND_SLURM_SLURM_CONFIG_H_

#include <string>

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::backend {

struct SlurmConfig {
  std::string conf = "/etc/slurm/slurm.conf";
  // Interval of polls for jobs; 200 to 10,000 ms. Nodes are queried in every
  // tenth round and when Carme's jobs changed; partitions in every fortieth.
  // The interval grows if decoding the jobs would take more than 4 % of a CPU.
  absl::Duration poll_interval = absl::Milliseconds(1350);
  // Nodes with this feature run Carme's jobs. Must match `feature` in
  // impersonator.toml.
  std::string feature = "carme";
};

struct ImpersonatorClientConfig {
  std::string socket = "/run/carme-impersonator/socket";
  // Time limit of one operation; 5 to 600 s. Some seconds more than the
  // impersonator's operation_timeout_s, so that the impersonator reports what
  // happened.
  absl::Duration timeout = absl::Seconds(30);
};

// Read the tables [slurm] and [impersonator] of `root`; errors appear in the
// file's Finish().
SlurmConfig ReadSlurmConfig(ConfigTable root);
ImpersonatorClientConfig ReadImpersonatorClientConfig(ConfigTable root);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SLURM_CONFIG_H_
