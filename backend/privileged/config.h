// The impersonator's configuration: its policy, and where things are.
#ifndef CARME_BACKEND_PRIVILEGED_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/extending_config.h"
#include "backend/privileged/policy.h"
#include "backend/privileged/rate_limits.h"
#include "backend/privileged/reserving_config.h"
#include "backend/privileged/storage_config.h"

namespace carme::impersonator {

// How many acts of one user are done at once: what hangs for one, as a home on
// a server that is away, leaves the rest to others.
constexpr int ActsPerUser(int max_acts) {
  return max_acts > 1 ? max_acts / 2 : 1;
}

struct ImpersonatorConfig {
  // The unix socket. Unused when the socket is handed over (LISTEN_FDS); the
  // one for storage is always made here, under this name with ".storage".
  std::string socket = "/run/carme-impersonator/socket";
  // The only user whose processes are answered: the backend's.
  std::string peer_user;
  // What the batch script runs, as seen on the compute nodes.
  std::string agent;
  std::string agent_config = "/etc/carme/agent.toml";
  std::string slurm_conf = "/etc/slurm/slurm.conf";
  // The feature that every job asks its nodes for.
  std::string feature = "carme";
  PrivilegedPolicy policy;
  // How long one act may take, look-ups included; 2 to 300 s. More than
  // slurm.conf's MessageTimeout, or a controller that is down looks like one
  // that may have acted.
  absl::Duration act_timeout = absl::Seconds(20);
  // How many acts at once; 1 to 256. Further ones wait in the socket's queue.
  // One user has at most half of them (ActsPerUser).
  int max_acts = 16;
  RateLimitsConfig rate_limits;
  // Of one array; 0 to 100,000. 0: no arrays.
  int most_array_tasks = 1000;
  StorageConfig storage;
  ReservingConfig reserving;
  ExtendingConfig extending;
};

// NOT_FOUND, PERMISSION_DENIED: the file. INVALID_ARGUMENT: every error in
// it, one a line. FAILED_PRECONDITION: somebody but root could have written it.
absl::StatusOr<ImpersonatorConfig> LoadImpersonatorConfig(
    const std::string& path);

// Without the check of who owns the file; for tests.
absl::StatusOr<ImpersonatorConfig> ParseImpersonatorConfig(
    const std::string& text, const std::string& path);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_CONFIG_H_
