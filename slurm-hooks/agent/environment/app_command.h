// How apps are started: the backend's commands with their words replaced, and
// what they find in their environment.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {

struct AppPaths {
  std::string socket;   // {socket}: the unix socket to listen on
  std::string port;     // {port}: of a private network, bridged to {socket}
  std::string dir;      // {dir}: the job's runtime directory
  std::string scratch;  // {scratch}: the job's directory on the node's disk
  std::string host;     // {host}: the app's public host name
  std::string carme;    // {carme}: where Carme's own programs for apps lie
  std::string base{};   // {base}: the path below which it is on its host
};

// `text` with each of these words replaced, wherever it stands; what is put in
// is not read again, and other braces stay as they are.
std::string Substitute(std::string_view text, const AppPaths& places);
std::vector<std::string> Substitute(const std::vector<std::string>& command,
                                    const AppPaths& places);

// Whether it can only listen on TCP.
bool WantsPort(const std::vector<std::string>& command);

// Where the app has what is at `path`, which begins with "/", of a server that
// has no path above it: an app that is told its {base} has it below that.
std::string PathAt(const AppPlan& app, const std::string& path);

// All lists are of "NAME=value".

// For the program that makes the environment, on the node: the job's own
// `variables`, with HOME, USER, LOGNAME, SHELL, PATH and LANG where they are
// missing. Where there is a runtime it writes its own files into `directory`.
std::vector<std::string> RuntimeEnvironment(
    const EnvironmentPlan& plan, const std::vector<std::string>& variables,
    const UserAccount& account, const std::string& directory);

// For an app, over what the environment itself sets: who the user is, Slurm's
// and the GPUs' variables of the job, the plan's, then the app's; at last
// XDG_RUNTIME_DIR and JUPYTER_RUNTIME_DIR inside the runtime directory, so that
// the sockets and secrets of apps lie behind its mode.
std::vector<std::string> AppEnvironment(
    const EnvironmentPlan& plan, const AppPlan& app,
    const std::vector<std::string>& variables, const UserAccount& account,
    const EnvironmentFacts& facts);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_APP_COMMAND_H_
