// Commands and environment variables of apps.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

struct AppPaths {
  std::string socket;   // {socket}: unix socket to listen on
  std::string port;     // {port}: of a private network, bridged to {socket}
  std::string dir;      // {dir}: the job's runtime directory
  std::string scratch;  // {scratch}: the job's directory on the node's disk
  std::string host;     // {host}: the app's public host name
  std::string carme;    // {carme}: directory of Carme's programs for apps
  std::string base{};   // {base}: path of the app on its host
};

// Replaces the placeholders in `text`. Inserted text is not expanded again, and
// other braces stay.
std::string Substitute(std::string_view text, const AppPaths& places);
std::vector<std::string> Substitute(const std::vector<std::string>& command,
                                    const AppPaths& places);

// Returns whether the app can only listen on TCP.
bool WantsPort(const std::vector<std::string>& command);

// Returns the path on the app that corresponds to `path` (begins with "/") on
// an app without a base path: an app that is given {base} serves below it.
std::string PathAt(const AppPlan& app, const std::string& path);

// All lists contain "NAME=value".

// Variables for the program that creates the environment on the node: the job's
// own `variables`, with HOME, USER, LOGNAME, SHELL, PATH and LANG added if
// missing. A runtime writes its own files into `directory`.
std::vector<std::string> RuntimeEnvironment(
    const EnvironmentPlan& plan, const std::vector<std::string>& variables,
    const UserAccount& account, const std::string& directory);

// Variables for an app, on top of those of the environment itself: user, Slurm
// and GPU variables of the job, then those of the plan, then of the app, and at
// last XDG_RUNTIME_DIR and JUPYTER_RUNTIME_DIR inside the runtime directory, so
// that its mode protects the sockets and secrets of apps.
std::vector<std::string> AppEnvironment(
    const EnvironmentPlan& plan, const AppPlan& app,
    const std::vector<std::string>& variables, const UserAccount& account,
    const EnvironmentFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_
