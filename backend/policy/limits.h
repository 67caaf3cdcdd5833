// Carme's own limits and the apps it offers, as the configuration has them.
#ifndef CARME_BACKEND_POLICY_LIMITS_H_
#define CARME_BACKEND_POLICY_LIMITS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/session.h"

namespace carme {

// Of one role; 0 means no limit. They only narrow Slurm's.
struct Limits {
  int max_gpus_per_job = 0;
  int max_running_jobs = 0;  // counts every job that has not ended
  absl::Duration max_walltime{};
};

struct App {
  std::string id;
  std::string name;
  std::vector<std::string> command;  // with {socket}, {dir}, {host}
  std::string ready_path;
};

// Who set a role's limits, for a person: "role user".
constexpr std::string_view LimitsSource(Role role) {
  return role == Role::kAdmin ? "role admin" : "role user";
}

}  // namespace carme

#endif  // CARME_BACKEND_POLICY_LIMITS_H_
