// The part of backend.toml's [environments] that is about environment
// definition files.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_

#include <map>
#include <string>
#include <vector>

#include "common/config/config.h"

namespace carme::backend {

struct EnvironmentsConfig {
  // Whether jobs may run in them: every node needs the plugin of
  // slurm-hooks/spank.
  bool offered = false;
  // Absolute; the site's own environments, as NAME.toml, on this host.
  std::vector<std::string> system_directories = {"/etc/edf"};
  // Beside USER, LOGNAME and HOME; {user} in a value is the user's name.
  std::map<std::string, std::string> variables;
};

// `table` is [environments]. Errors are reported by the file's Finish().
void ReadEnvironmentsConfig(ConfigTable table, EnvironmentsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
