// Which apps can be opened in a job, and at which address. Pure functions.
#ifndef CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_
#define CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"

namespace carme::backend {

// The job's own app first, then the other apps of its image, in the configured
// order; in an environment all apps. FAILED_PRECONDITION: its own app or its
// image is no longer offered.
absl::StatusOr<std::vector<const App*>> AppsOf(const Job& job,
                                               const JobsConfig& config,
                                               const ImageCatalogue& images);

// The first label of the host name of an app: the job id for the job's own app,
// another label for each other app, so that each has its own origin. With
// path-based routing it is the first part of the path.
std::string HostLabelOf(const Job& job, const std::string& app);

// The host name, with the port if there is one.
std::string PublicHostOf(const Job& job, const std::string& app,
                         const JobsConfig& config);

// The path prefix: "/", or "/<label>/".
std::string BasePathOf(const Job& job, const std::string& app,
                       const JobsConfig& config);

// Whether the app's command contains {base}: then requests keep their prefix.
bool NamesBase(const App& app);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_
