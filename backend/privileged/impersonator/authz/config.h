// The configuration of the impersonator, impersonator.toml: its policy, its
// limits and its paths.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/authz/policy.h"
#include "backend/privileged/impersonator/authz/rate_limits.h"

namespace carme::impersonator {

// How many operations of one user run at the same time. An operation that
// hangs, such as one on a home whose server is down, leaves the rest to other
// users.
constexpr int OperationsPerUser(int max_operations) {
  return max_operations > 1 ? max_operations / 2 : 1;
}

// Limits of reservations that are made as SlurmUser, from [reservations]. The
// backend decides who of the group may book.
struct ReservationConfig {
  // Partitions whose nodes can be reserved. Empty: reservations are disabled.
  std::vector<std::string> partitions = {};
  std::string group = {};  // only its members may reserve; empty: all users
  int max_nodes = 4;
  int max_minutes = 480;
  int max_days_ahead = 60;
  int max_per_user = 4;  // that have not ended

  bool IsOffered() const { return !partitions.empty(); }
};

// Reservations for maintenance of the site, from [maintenance].
struct MaintenanceConfig {
  std::string group = {};  // only its members; empty: disabled

  bool IsOffered() const { return !group.empty(); }
};

// Who may drain and resume nodes, and how many, from [nodes].
struct NodesConfig {
  std::string group = {};  // only its members; empty: disabled
  // Of the nodes with the feature, those that are drained or down afterwards;
  // one node is always allowed.
  int max_drained_percent = 10;

  bool IsOffered() const { return !group.empty(); }
};

// Limits of longer time limits for running jobs, from [extensions].
struct ExtensionConfig {
  // The longest walltime of a job including extensions. 0: disabled.
  absl::Duration max_walltime{};

  bool IsOffered() const { return max_walltime > absl::ZeroDuration(); }
};

struct ImpersonatorConfig {
  // Path of the unix socket. Ignored if the socket is inherited (LISTEN_FDS).
  std::string socket = "/run/carme-impersonator/socket";
  // The only user whose processes are served: the backend's.
  std::string peer_user;
  // What the batch script runs; paths on the compute nodes.
  std::string agent;
  std::string agent_config = "/etc/carme/agent.toml";
  std::string slurm_conf = "/etc/slurm/slurm.conf";
  // The feature that every job requests of its nodes.
  std::string feature = "carme";
  PrivilegedPolicy policy;
  // Time limit of one operation, including look-ups; 2 to 300 s. It must exceed
  // MessageTimeout in slurm.conf, or a controller that is down looks like one
  // that may have done the operation.
  absl::Duration operation_timeout = absl::Seconds(20);
  // Concurrent operations; 1 to 256. More connections wait in the socket's
  // queue. One user gets at most half of them (OperationsPerUser).
  int max_operations = 16;
  RateLimitsConfig rate_limits;
  // Tasks of one array; 0 to 100,000. 0: arrays are disabled.
  int max_array_tasks = 1000;
  ReservationConfig reservations;
  MaintenanceConfig maintenance;
  NodesConfig nodes;
  ExtensionConfig extensions;
};

// NOT_FOUND, PERMISSION_DENIED: the file cannot be read. INVALID_ARGUMENT: all
// errors in it, one a line. FAILED_PRECONDITION: users other than root can
// write the file.
absl::StatusOr<ImpersonatorConfig> LoadImpersonatorConfig(
    const std::string& path);

// Without the check of the file's owner; for tests.
absl::StatusOr<ImpersonatorConfig> ParseImpersonatorConfig(
    const std::string& text, const std::string& path);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_CONFIG_H_
