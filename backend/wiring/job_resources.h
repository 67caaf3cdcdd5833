// What jobs use and are checked against: projects, quotas, reservations,
// templates, images and environments.
#ifndef CARME_BACKEND_WIRING_JOB_RESOURCES_H_
#define CARME_BACKEND_WIRING_JOB_RESOURCES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/announcements/announcements.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/environment_gallery.h"
#include "backend/environments/environments.h"
#include "backend/identity/directory.h"
#include "backend/identity/home_lookup.h"
#include "backend/identity/person_lookup.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/jobs/store/presets.h"
#include "backend/maintenance/maintenance.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/reservations/reservations.h"
#include "backend/slurm/reserver.h"
#include "backend/slurm/scheduler.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"
#include "common/clock.h"

namespace carme::backend {

struct JobResources {
  // All but the configurations must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    AuditLog* audit;
    Directory* directory;         // for all users and groups
    PersonLookup* person_lookup;  // for users who are logged in
    HomeLookup* homes;
    Scheduler* scheduler;
    Reserver* reserver;
    const JobsConfig* jobs;
    const ProjectsConfig* projects;
    const ReservationsConfig* reservations;
  };
  // Loads announcements, maintenance, images, quotas and templates from the
  // database.
  static absl::StatusOr<std::unique_ptr<JobResources>> Open(const Parts& parts);
  JobResources(const JobResources&) = delete;
  JobResources& operator=(const JobResources&) = delete;

  Projects projects;
  Reservations reservations;
  Presets presets;
  std::unique_ptr<Announcements> announcements;
  std::unique_ptr<Maintenance> maintenance;
  std::unique_ptr<Quotas> quotas;
  std::unique_ptr<Templates> templates;
  std::unique_ptr<ImageCatalogue> images;
  std::unique_ptr<Environments> environments;
  std::unique_ptr<EnvironmentGallery> gallery;

 private:
  explicit JobResources(const Parts& parts);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_JOB_RESOURCES_H_
