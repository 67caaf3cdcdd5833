// The files that an environment of the portal may inherit from: other
// environments of the user, and those of the site. No other file of this host
// is read.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FILES_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/environments/environment_store.h"
#include "common/edf/files.h"
#include "common/ids.h"

namespace carme::backend {

// The directory of the user's environments, as the renderer sees it.
inline constexpr char kOwnEnvironments[] = "/your-environments";

// The limit for all inherited files of one environment.
inline constexpr size_t kMaxInheritedBytes = 512 << 10;

// For one rendering of an environment of `uid`; `store` must outlive this.
EdfFiles EnvironmentFiles(EnvironmentStore* store, Uid uid,
                          const std::vector<std::string>& system_directories);

// The sorted names of the site's environments; at most 500. An unreadable
// directory has none.
std::vector<std::string> SiteEnvironments(
    const std::vector<std::string>& system_directories);

// NOT_FOUND. REQUIRES: IsEnvironmentName.
absl::StatusOr<std::string> ReadSiteEnvironment(
    const std::vector<std::string>& system_directories,
    const std::string& name);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FILES_H_
