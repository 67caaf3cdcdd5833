// How the app is started: the backend's command with its three words replaced.
#ifndef CARME_SLURM_HOOKS_AGENT_APP_COMMAND_H_
#define CARME_SLURM_HOOKS_AGENT_APP_COMMAND_H_

#include <string>
#include <string_view>
#include <vector>

namespace carme::agent {

struct AppPlaces {
  std::string socket;  // {socket}: the unix socket to listen on
  std::string dir;     // {dir}: the job's runtime directory
  std::string host;    // {host}: the public host name of the job
};

// `text` with each of the three words replaced, wherever it stands; what is
// put in is not read again, and other braces stay as they are.
std::string Substitute(std::string_view text, const AppPlaces& places);
std::vector<std::string> Substitute(const std::vector<std::string>& command,
                                    const AppPlaces& places);

// What the app finds in its environment: the job's own `environment`
// ("NAME=value"), with HOME, USER, LOGNAME, SHELL, PATH and LANG where they are
// missing, and with XDG_RUNTIME_DIR and JUPYTER_RUNTIME_DIR inside the runtime
// directory, so that the sockets and secrets of apps lie behind its mode.
struct UserAccount {
  std::string name;
  std::string home;
  std::string shell;
};
std::vector<std::string> AppEnvironment(
    const std::vector<std::string>& environment, const UserAccount& account,
    const std::string& dir);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_APP_COMMAND_H_
