// What backend.toml says about Slurm and the impersonator.
#ifndef CARME_BACKEND_SLURM_SLURM_CONFIG_H_
#define CARME_BACKEND_SLURM_SLURM_CONFIG_H_

#include <string>

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::backend {

struct SlurmConfig {
  std::string conf = "/etc/slurm/slurm.conf";
  // How often Slurm is asked what is new of jobs; 200 to 10,000 ms. Nodes are
  // asked for in every tenth round, and when jobs of Carme's changed;
  // partitions in every fortieth. With the default that is less than one
  // `squeue` every two seconds asks. Where Slurm has so many jobs that reading
  // them would take more than 4 % of a processor it is less often.
  absl::Duration poll_interval = absl::Milliseconds(1350);
  // Nodes with this feature take Carme's jobs; the impersonator's own
  // configuration names it too.
  std::string feature = "carme";
};

struct ImpersonatorClientConfig {
  std::string socket = "/run/carme-impersonator/socket";
  // How long one act may take in all; 5 to 600 s. Some seconds more than the
  // impersonator's act_timeout_s, so that it is the one to say what happened.
  absl::Duration timeout = absl::Seconds(30);
};

// Read the tables [slurm] and [impersonator] of `root`; errors appear in the
// file's Finish().
SlurmConfig ReadSlurmConfig(ConfigTable root);
ImpersonatorClientConfig ReadImpersonatorClientConfig(ConfigTable root);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_SLURM_CONFIG_H_
