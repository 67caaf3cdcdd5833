// Carme's limits, apps and images as configured.
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

// Of one role; 0: no limit. They only narrow Slurm's limits.
struct Limits {
  int max_gpus_per_job = 0;
  int max_running_jobs = 0;  // counts all active jobs
  absl::Duration max_walltime{};
};

struct App {
  std::string id;
  std::string name;
  std::string icon;
  std::string description;
  std::vector<std::string>
      command;  // with the placeholders of agent.proto's AppPlan
  std::string ready_path;
  // A file of the user: absolute, or relative to the home directory. Empty:
  // none.
  std::string requires_file{};
  std::map<std::string, std::string> environment;
};

// A directory of the node that jobs in an image see.
struct ImageMount {
  std::string source;  // absolute; {user} is the user's name
  std::string target;
  bool read_only = false;
};

// What a job may run in. kNoImage is the system of the node, without path and
// digest.
struct Image {
  std::string id;  // "name:version"
  std::string description;
  std::string path;               // absolute, as nodes see it
  std::string sha256;             // 64 hexadecimal digits
  std::vector<std::string> apps;  // empty: not known, any may be tried
  std::vector<ImageMount> mounts;
  std::map<std::string, std::string> environment;
  // The owner of a user's image; empty: an image of the site.
  std::string owner{};
  Uid owner_uid = kNoUid;
  int64_t size_bytes = 0;  // 0: not known
  bool deprecated = false;
  // For an image of another user: the account that owns the copy in the site's
  // directory for shared images.
  std::optional<Uid> store_uid{};
  // The minimum versions for jobs with GPUs; empty: any.
  std::string driver{};
  std::string cuda{};
  // Of an image of backend.toml that a program builds: the file with the
  // progress of the build; empty: the image is complete.
  std::string status_file{};

  bool Has(const std::string& app) const {
    return apps.empty() ||
           std::find(apps.begin(), apps.end(), app) != apps.end();
  }
};
inline constexpr char kNoImage[] = "none";

// The source of a role's limits: "role user".
constexpr std::string_view LimitsSource(Role role) {
  return role == Role::kAdmin ? "role admin" : "role user";
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_LIMITS_H_
