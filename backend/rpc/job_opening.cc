#include "backend/rpc/job_opening.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/job_apps.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status CheckOpen(Jobs& jobs, const Job& job, const std::string& app) {
  if (!job.spec.companion_of.empty()) {
    return absl::FailedPreconditionError(
        "the job has joined another and has no app: expected that one to be "
        "opened");
  }
  if (IsBatch(job)) {
    return absl::FailedPreconditionError(
        "the job is a batch job and has no app: expected an interactive one");
  }
  // Before its app answers the proxy says what is happening in its place.
  if (job.state == JobState::kStopping || HasEnded(job)) {
    return absl::FailedPreconditionError(
        "the job is over: expected one that runs, or will");
  }
  if (app.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                   AppsOf(job, jobs.config(), jobs.images()));
  std::vector<std::string> ids;
  for (const App* offered : apps) {
    if (offered->id == app) return absl::OkStatus();
    ids.push_back(offered->id);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the job has no such app: expected one of: ", absl::StrJoin(ids, ", ")));
}

}  // namespace

absl::StatusOr<Job> JobToOpen(const JobServiceParts& parts, const JobId& id,
                              const std::string& app, const Caller& caller) {
  RETURN_IF_ERROR(parts.audit->Ready());
  ASSIGN_OR_RETURN(Job job,
                   parts.jobs->Get(caller.session, id, caller.request_id));
  RETURN_IF_ERROR(CheckOpen(*parts.jobs, job, app));
  return job;
}

std::string AddressToOpen(const JobServiceParts& parts, const Job& job,
                          const std::string& app, const Caller& caller) {
  const absl::Time now = parts.clock->Now();
  // Of a job that waits nobody knows the end, which ends the grant, too.
  const absl::Time end =
      job.ends_at ? parts.jobs->extensions().LatestEnd(job, *job.ends_at)
                  : absl::InfiniteFuture();
  const JobsConfig& config = parts.jobs->config();
  const App* const offered = config.FindApp(app);
  const GrantedUse use{.job = job.id,
                       .app = app,
                       .host_label = HostLabelOf(job, app),
                       .whole_path = offered != nullptr && NamesBase(*offered),
                       .session = caller.session.id,
                       .user = job.owner,
                       .expires_at = std::min(caller.session.expires_at, end)};
  return absl::StrCat(
      "https://", PublicHostOf(job, app, config), BasePathOf(job, app, config),
      ".carme/open?ticket=", parts.signer->MakeTicket(use, now));
}

}  // namespace carme::backend
