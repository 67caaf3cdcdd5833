#include "backend/wiring/job_resources.h"

#include "common/status.h"

namespace carme::backend {

JobResources::JobResources(const Parts& parts)
    // Not the person lookup: it may cache every name that is looked up.
    : projects({.database = parts.database,
                .clock = parts.clock,
                .audit = parts.audit,
                .directory = parts.directory},
               *parts.projects),
      reservations({.database = parts.database,
                    .clock = parts.clock,
                    .scheduler = parts.scheduler,
                    .reserver = parts.reserver},
                   *parts.reservations),
      presets(parts.database) {}

absl::StatusOr<std::unique_ptr<JobResources>> JobResources::Open(
    const Parts& parts) {
  const JobsConfig& config = *parts.jobs;
  std::unique_ptr<JobResources> self(new JobResources(parts));
  ASSIGN_OR_RETURN(self->announcements,
                   Announcements::Open({.database = parts.database,
                                        .clock = parts.clock,
                                        .person_lookup = parts.person_lookup,
                                        .directory = parts.directory,
                                        .projects = &self->projects}));
  ASSIGN_OR_RETURN(self->maintenance,
                   Maintenance::Open({.database = parts.database,
                                      .clock = parts.clock,
                                      .reserver = parts.reserver,
                                      .audit = parts.audit}));
  ASSIGN_OR_RETURN(
      self->images,
      ImageCatalogue::Open({.database = parts.database,
                            .clock = parts.clock,
                            .person_lookup = parts.person_lookup,
                            .project_memberships = &self->projects},
                           config.images, config.shared_images.offered()));
  self->environments = std::make_unique<Environments>(
      Environments::Parts{.database = parts.database,
                          .clock = parts.clock,
                          .homes = parts.homes,
                          .images = self->images.get()},
      config.environments);
  self->gallery = std::make_unique<EnvironmentGallery>(self->images.get(),
                                                       config.environments);
  ASSIGN_OR_RETURN(self->quotas,
                   Quotas::Open({.database = parts.database,
                                 .clock = parts.clock,
                                 .person_lookup = parts.person_lookup,
                                 .directory = parts.directory},
                                config.user, config.admin));
  ASSIGN_OR_RETURN(self->templates,
                   Templates::Open(parts.database, parts.clock));
  return self;
}

}  // namespace carme::backend
