// What jobs use and are checked against: projects, quotas, reservations,
// templates, images and environments.
#ifndef CARME_BACKEND_WIRING_JOB_RESOURCES_H_
#define CARME_BACKEND_WIRING_JOB_RESOURCES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/environments/environments.h"
#include "backend/identity/users/nss_account.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/store/presets.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/reservations/reservations.h"
#include "backend/templates/templates.h"
#include "backend/wiring/backend_config.h"
#include "backend/wiring/identity.h"
#include "backend/wiring/slurm_access.h"
#include "backend/wiring/state_directory.h"
#include "common/clock.h"

namespace carme::backend {

struct JobResources {
  // All must outlive the object.
  struct Parts {
    StateDirectory* state;
    const Clock* clock;
    Identity* identity;
    SlurmAccess* slurm;
    const BackendConfig* config;
  };
  // Loads images, quotas and templates from the database.
  static absl::StatusOr<std::unique_ptr<JobResources>> Open(const Parts& parts);
  JobResources(const JobResources&) = delete;
  JobResources& operator=(const JobResources&) = delete;

  NssHomeLookup homes;
  Projects projects;
  Reservations reservations;
  Presets presets;
  std::unique_ptr<Quotas> quotas;
  std::unique_ptr<Templates> templates;
  std::unique_ptr<ImageCatalogue> images;
  std::unique_ptr<Environments> environments;

 private:
  explicit JobResources(const Parts& parts);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_JOB_RESOURCES_H_
