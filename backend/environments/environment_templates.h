// Reads the site's templates for environments, a TOML file with one table
// [[templates]] each; deploy/config/environment-templates.toml describes the
// keys.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_TEMPLATES_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_TEMPLATES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "carme/v1/environment_gallery.pb.h"
#include "common/config/config.h"

namespace carme::backend {

// In the order of the file, each without a problem. INVALID_ARGUMENT with all
// errors of the file; errors of ConfigFile::Load.
absl::StatusOr<std::vector<v1::EnvironmentTemplate>> LoadEnvironmentTemplates(
    const std::string& path);
// `file` was not read before.
absl::StatusOr<std::vector<v1::EnvironmentTemplate>> ReadEnvironmentTemplates(
    ConfigFile file);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_TEMPLATES_H_
