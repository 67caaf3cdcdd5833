// Which apps may be opened in a job, and where. Functions over values.
#ifndef CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_
#define CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"

namespace carme::backend {

// The job's own first, then the others that its image has, in the catalogue's
// order; in an environment any may be tried. FAILED_PRECONDITION: its own app
// or its image is not offered any more.
absl::StatusOr<std::vector<const App*>> AppsOf(const Job& job,
                                               const JobsConfig& config,
                                               const ImageCatalogue& images);

// The first label of the host name at which an app of the job is: its own app
// has the job's, each other one an origin of its own. At a site of paths it is
// the path's first part instead.
std::string HostLabelOf(const Job& job, const std::string& app);

// That name, and the port where there is one.
std::string PublicHostOf(const Job& job, const std::string& app,
                         const JobsConfig& config);

// The path below which it is there: "/", or "/<label>/".
std::string BasePathOf(const Job& job, const std::string& app,
                       const JobsConfig& config);

// Whether its command says {base}: then it is sent whole paths.
bool NamesBase(const App& app);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_JOB_APPS_H_
