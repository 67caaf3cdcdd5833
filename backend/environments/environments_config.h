// [environments] of backend.toml: environment definition files.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_

#include <map>
#include <string>
#include <vector>

#include "carme/v1/environment_gallery.pb.h"
#include "common/config/config.h"

namespace carme::backend {

// From where builds of images install packages. An empty address: packages of
// this kind are not allowed.
struct PackageSources {
  std::string debian_mirror_url;  // for templates of the site only
  std::string debian_suite = "trixie";
  std::string pip_index_url;
  std::string conda_channel_url;
  std::string micromamba;  // the program's path on the nodes; with the former
};

struct EnvironmentsConfig {
  // Whether jobs may use them: every node needs the SPANK plugin of
  // slurm-hooks/spank.
  bool offered = false;
  // The absolute path of the site's environments, NAME.toml, on this host.
  std::vector<std::string> system_directories = {"/etc/edf"};
  // In addition to USER, LOGNAME and HOME; {user} in a value is the user's
  // name.
  std::map<std::string, std::string> variables;
  PackageSources packages;
  // The file of the templates; empty: none. LoadBackendConfig reads it.
  std::string template_file;
  std::vector<v1::EnvironmentTemplate> templates;
};

// `table` is [environments]. Errors are reported by the file's Finish().
void ReadEnvironmentsConfig(ConfigTable table, EnvironmentsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENTS_CONFIG_H_
