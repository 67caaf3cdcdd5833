// [projects] of backend.toml.
#ifndef CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_
#define CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_

#include <string>
#include <vector>

#include "common/config/config.h"

namespace carme::backend {

struct ProjectsConfig {
  // Whether a membership that the project's manager and the person have agreed
  // on also needs an administrator.
  bool require_admin_approval = true;
  // What a project may be classified as, the usual first; 1 to 16 words.
  std::vector<std::string> classifications = {"internal", "public",
                                              "confidential"};
};

// Errors are reported by the file's Finish().
void ReadProjectsConfig(ConfigTable root, ProjectsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECTS_CONFIG_H_
