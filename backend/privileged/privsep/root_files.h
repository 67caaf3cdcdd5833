// Whether root may trust a file.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_ROOT_FILES_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_ROOT_FILES_H_

#include <string>

#include "absl/status/status.h"

namespace carme {

// OK: only root can change or replace the file or any directory above it.
// FAILED_PRECONDITION: another user can. NOT_FOUND, PERMISSION_DENIED.
absl::Status CheckOnlyRootWrites(const std::string& path);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_ROOT_FILES_H_
