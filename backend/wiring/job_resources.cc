#include "backend/wiring/job_resources.h"

#include "common/status.h"

namespace carme::backend {

JobResources::JobResources(const Parts& parts)
    // Not the directory cache: it would cache every name that is looked up.
    : projects({.database = parts.state->database.get(),
                .clock = parts.clock,
                .audit = parts.state->audit.get(),
                .directory = parts.identity->directory.get()},
               parts.config->projects),
      reservations({.database = parts.state->database.get(),
                    .clock = parts.clock,
                    .scheduler = parts.slurm->scheduler.get(),
                    .reserver = &parts.slurm->impersonator},
                   parts.config->reservations),
      presets(parts.state->database.get()) {}

absl::StatusOr<std::unique_ptr<JobResources>> JobResources::Open(
    const Parts& parts) {
  Database* const database = parts.state->database.get();
  const JobsConfig& config = parts.config->jobs;
  std::unique_ptr<JobResources> self(new JobResources(parts));
  ASSIGN_OR_RETURN(
      self->images,
      ImageCatalogue::Open({.database = database,
                            .clock = parts.clock,
                            .person_lookup = &parts.identity->directory_cache,
                            .project_memberships = &self->projects},
                           config.images, config.shared_images.offered()));
  self->environments = std::make_unique<Environments>(
      Environments::Parts{.database = database,
                          .clock = parts.clock,
                          .homes = &self->homes,
                          .images = self->images.get()},
      config.environments);
  ASSIGN_OR_RETURN(
      self->quotas,
      Quotas::Open({.database = database,
                    .clock = parts.clock,
                    .person_lookup = &parts.identity->directory_cache,
                    .directory = parts.identity->directory.get()},
                   config.user, config.admin));
  ASSIGN_OR_RETURN(self->templates, Templates::Open(database, parts.clock));
  return self;
}

}  // namespace carme::backend
