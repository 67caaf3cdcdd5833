// Writes a tar file (POSIX ustar) with owners by name.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_TAR_ARCHIVE_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_TAR_ARCHIVE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/setup/site/site_files.h"

namespace carme::carmectl {

// The files of `host`, with relative paths. Directories are not in it: `tar`
// creates those that are missing, and keeps owner and mode of others. Where an
// account is missing, its files become root's. INVALID_ARGUMENT: a path is
// longer than 99 bytes.
absl::StatusOr<std::string> MakeTar(const std::vector<SetupFile>& files,
                                    SetupHost host, absl::Time now);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_TAR_ARCHIVE_H_
