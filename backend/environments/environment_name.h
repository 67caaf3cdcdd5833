// Valid names and paths of environments.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_NAME_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_NAME_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace carme::backend {

// 1 to 63 of a-z, A-Z, 0-9, ".", "_" and "-", starting with a letter or digit,
// not ending in ".toml": it is found as NAME.toml and never taken for a path.
bool IsEnvironmentName(std::string_view name);

// INVALID_ARGUMENT with a message for the user.
absl::Status CheckEnvironmentName(const std::string& name);

// Whether a job's environment is a file on the nodes: "/…" or "~/…".
bool IsEnvironmentPath(std::string_view environment);

// INVALID_ARGUMENT with a message for the user. REQUIRES: IsEnvironmentPath.
absl::Status CheckEnvironmentPath(const std::string& path);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_NAME_H_
