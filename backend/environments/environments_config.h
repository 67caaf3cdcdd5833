// [environments] of backend.toml: environment definition files.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_

#include <map>
#include <string>
#include <vector>

#include "common/config/config.h"

namespace carme::backend {

struct EnvironmentsConfig {
  // Whether jobs may use them: every node needs the SPANK plugin of
  // slurm-hooks/spank.
  bool offered = false;
  // The absolute path of the site's environments, NAME.toml, on this host.
  std::vector<std::string> system_directories = {"/etc/edf"};
  // In addition to USER, LOGNAME and HOME; {user} in a value is the user's
  // name.
  std::map<std::string, std::string> variables;
};

// `table` is [environments]. Errors are reported by the file's Finish().
void ReadEnvironmentsConfig(ConfigTable table, EnvironmentsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
