// Validation of the texts of a project: pure functions.
#ifndef CARME_BACKEND_PROJECTS_PROJECT_TEXT_H_
#define CARME_BACKEND_PROJECTS_PROJECT_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/projects/project.h"

namespace carme::backend {

// Name, description and classification; an empty classification becomes the
// first of `classifications`. INVALID_ARGUMENT: what is wrong.
absl::Status CheckSettings(const std::vector<std::string>& classifications,
                           ProjectSettings* settings);

// Checks the name of a Slurm account; empty: none. INVALID_ARGUMENT.
absl::Status CheckAccount(const std::string& account);

// Checks that the end is in the near future. INVALID_ARGUMENT.
absl::Status CheckEnd(const std::optional<absl::Time>& end, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_PROJECTS_PROJECT_TEXT_H_
