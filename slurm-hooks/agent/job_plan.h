// What the backend wants to run in a job: its environment, and the apps that
// may be opened there. Plain values, checked before they are used.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_PLAN_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_PLAN_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::v1 {
class RegisterResponse;
}

namespace carme::agent {

using Variables = std::map<std::string, std::string>;

struct AppPlan {
  std::string id;
  std::vector<std::string> command;  // its words not replaced yet
  std::string ready_path;            // begins with "/"
  std::string public_host;           // host[:port]
  Variables environment;
};

enum class Runtime { kNone, kApptainer };

struct Bind {
  std::string source;
  std::string target;
  bool read_only = false;
};

struct EnvironmentPlan {
  Runtime runtime = Runtime::kNone;
  std::string image;   // absolute; empty without a runtime
  std::string sha256;  // of the image
  std::string name;    // of the image, for people
  std::vector<Bind> binds;
  Variables environment;
};

struct JobPlan {
  std::vector<AppPlan> apps;  // the job's own first
  EnvironmentPlan environment;
};

// INVALID_ARGUMENT: a field is missing or not of its form, which only a backend
// of another version sends; the field is named.
absl::StatusOr<JobPlan> CheckJobPlan(
    const carme::v1::RegisterResponse& response);

// INVALID_ARGUMENT for a field of the backend's answer.
absl::Status WrongField(std::string_view field, std::string_view expected);

// What may stand in an HTTP request line or header as it is.
bool IsPlainText(const std::string& text);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_PLAN_H_
