// Carme's own limits, the apps and the images it offers, as the configuration
// has them.
#ifndef CARME_BACKEND_POLICY_SPEC_LIMITS_H_
#define CARME_BACKEND_POLICY_SPEC_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "backend/identity/session.h"

namespace carme::backend {

// Of one role; 0 means no limit. They only narrow Slurm's.
struct Limits {
  int max_gpus_per_job = 0;
  int max_running_jobs = 0;  // counts every job that has not ended
  absl::Duration max_walltime{};
};

struct App {
  std::string id;
  std::string name;
  std::string icon;
  std::string description;
  std::vector<std::string> command;  // with the words of agent.proto's AppPlan
  std::string ready_path;
  // Of the user's: absolute, or relative to their home. Empty: none.
  std::string requires_file{};
  std::map<std::string, std::string> environment;
};

// A folder of the node that jobs in an image see.
struct ImageMount {
  std::string source;  // absolute; {user} is the user's name
  std::string target;
  bool read_only = false;
};

// What a job may run in. The one named kNoImage is the node's own system, and
// has neither path nor digest.
struct Image {
  std::string id;  // "name:version"
  std::string description;
  std::string path;               // absolute, as nodes see it
  std::string sha256;             // 64 hexadecimal digits
  std::vector<std::string> apps;  // that it has; empty: any may be tried
  std::vector<ImageMount> mounts;
  std::map<std::string, std::string> environment;
  // Of a user's own; empty: the site.
  std::string owner{};
  Uid owner_uid = kNoUid;
  int64_t size_bytes = 0;  // 0: not known
  bool deprecated = false;
  // Of another user's: the file is a copy in the site's directory for shared
  // images, and belongs to this account.
  std::optional<Uid> store_uid{};
  // What jobs with GPUs need at least; empty: any.
  std::string driver{};
  std::string cuda{};

  bool Has(const std::string& app) const {
    return apps.empty() ||
           std::find(apps.begin(), apps.end(), app) != apps.end();
  }
};
inline constexpr char kNoImage[] = "none";

// Who set a role's limits, for a person: "role user".
constexpr std::string_view LimitsSource(Role role) {
  return role == Role::kAdmin ? "role admin" : "role user";
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_LIMITS_H_
