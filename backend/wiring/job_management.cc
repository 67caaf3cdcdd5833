#include "backend/wiring/job_management.h"

#include <utility>

#include "common/status.h"

namespace carme::backend {

absl::StatusOr<std::unique_ptr<JobManagement>> JobManagement::Open(
    const Parts& parts) {
  auto routes = std::make_unique<Routes>(parts.clock);
  ASSIGN_OR_RETURN(
      auto jobs,
      Jobs::Open({.database = parts.state->database.get(),
                  .scheduler = parts.slurm->scheduler.get(),
                  .submitter = &parts.slurm->impersonator,
                  .routes = routes.get(),
                  .audit = parts.state->audit.get(),
                  .clock = parts.clock,
                  .images = parts.resources->images.get(),
                  .environments = parts.resources->environments.get(),
                  .projects = &parts.resources->projects,
                  .quotas = parts.resources->quotas.get(),
                  .templates = parts.resources->templates.get(),
                  .storage = &parts.slurm->storage_reader,
                  .accounting = parts.slurm->accounting(),
                  .maintenance = parts.resources->maintenance.get(),
                  .node_history = parts.node_history},
                 parts.config->jobs));
  std::unique_ptr<JobManagement> self(
      new JobManagement(parts, std::move(routes), std::move(jobs)));
  self->history.Sweep();
  return self;
}

JobManagement::JobManagement(const Parts& parts,
                             std::unique_ptr<Routes> new_routes,
                             std::unique_ptr<Jobs> opened_jobs)
    : routes(std::move(new_routes)),
      jobs(std::move(opened_jobs)),
      redeemed_tickets(parts.state->ticket_signer.PublicKey(), parts.clock),
      admission({.active = &jobs->active(),
                 .scheduler = parts.slurm->scheduler.get(),
                 .polls = &jobs->polls(),
                 .clock = parts.clock}),
      start_estimator(&parts.slurm->impersonator, parts.slurm->scheduler.get(),
                      parts.clock),
      admin_jobs({.jobs = jobs.get(),
                  .database = parts.state->database.get(),
                  .clock = parts.clock,
                  .users = &parts.identity->users}),
      image_copies({.images = parts.resources->images.get(),
                    .jobs = jobs.get(),
                    .person_lookup = &parts.identity->directory_cache,
                    .config = &parts.config->jobs.shared_images,
                    .clock = parts.clock}),
      resubmissions({.database = parts.state->database.get(),
                     .jobs = jobs.get(),
                     .person_lookup = &parts.identity->directory_cache,
                     .node_history = parts.node_history,
                     .clock = parts.clock}),
      history({.database = parts.state->database.get(),
               .reading = parts.state->read_only_database.get(),
               .clock = parts.clock,
               .active = &jobs->active(),
               .projects = &parts.resources->projects,
               .accounting = parts.slurm->accounting()},
              parts.config->history),
      utilization(parts.state->database.get(),
                  parts.state->read_only_database.get(),
                  parts.slurm->scheduler.get(), parts.clock) {}

}  // namespace carme::backend
