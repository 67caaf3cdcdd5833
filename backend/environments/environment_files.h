// The files that an environment of the page may inherit from: the user's others
// and the site's. No other file of this host is looked at, whatever a text
// says.
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

// Where the user's are, as far as the renderer knows.
inline constexpr char kOwnEnvironments[] = "/your-environments";

// All that is inherited by one environment.
inline constexpr size_t kMaxInheritedBytes = 512 << 10;

// For one rendering of `uid`'s; `store` outlives it.
EdfFiles EnvironmentFiles(EnvironmentStore* store, Uid uid,
                          const std::vector<std::string>& system_directories);

// The names of the site's, sorted; at most 500. A directory that cannot be read
// has none.
std::vector<std::string> SiteEnvironments(
    const std::vector<std::string>& system_directories);

// NOT_FOUND. REQUIRES: IsEnvironmentName.
absl::StatusOr<std::string> ReadSiteEnvironment(
    const std::vector<std::string>& system_directories,
    const std::string& name);

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_FILES_H_
