// [projects] of backend.toml.
#ifndef CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_
#define CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_

#include <string>
#include <vector>

#include "common/config/config.h"

namespace carme::backend {

struct ProjectsConfig {
  // Whether an administrator must approve a membership that the manager and the
  // user have agreed on.
  bool require_admin_approval = true;
  // What a project may be classified as, the usual first; 1 to 16 words.
  std::vector<std::string> classifications = {"internal", "public",
                                              "confidential"};
};

// Finish() reports invalid values.
void ReadProjectsConfig(ConfigTable root, ProjectsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_
