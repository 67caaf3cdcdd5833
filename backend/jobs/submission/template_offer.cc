#include "backend/jobs/submission/template_offer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backend/jobs/model/job_proto.h"
#include "backend/policy/cluster/reservation.h"
#include "backend/policy/spec/array.h"
#include "backend/templates/templates.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

TemplateOffer Unknown(const absl::Status& why) {
  LogError("templates not read", {{"error", StatusText(why)}});
  return {.needed = true, .unknown = true};
}

// An array counts as many jobs as may run at once.
void CountIn(const JobSpec& spec, TemplateOffer* offer) {
  const int64_t jobs = spec.batch ? MaxAtOnce(spec.batch->array) : 1;
  for (TemplateChoice& choice : offer->choices) {
    if (choice.job_template.id != spec.job_template) continue;
    choice.jobs_now =
        static_cast<int>(std::min<int64_t>(INT32_MAX, choice.jobs_now + jobs));
  }
}

// Without such a limit no job has to be read.
bool IsCounted(const TemplateOffer& offer) {
  return std::any_of(
      offer.choices.begin(), offer.choices.end(),
      [](const TemplateChoice& one) { return one.job_template.max_jobs > 0; });
}

absl::Status CountLive(Database& db, const std::string& owner,
                       TemplateOffer* offer) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare("SELECT spec FROM jobs WHERE owner = ? AND "
                              "ended_at IS NULL"));
  row.Bind(1, owner);
  while (true) {
    ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return absl::OkStatus();
    ASSIGN_OR_RETURN(const JobSpec spec, ParseSpec(row.Blob(0)));
    CountIn(spec, offer);
  }
}

}  // namespace

TemplateOffer TemplatesIn(Database& db, const std::string& project,
                          const std::string& owner) {
  absl::StatusOr<TemplateOffer> offer = Templates::OfferFor(db, project);
  if (!offer.ok()) return Unknown(offer.status());
  if (!IsCounted(*offer)) return *std::move(offer);
  const absl::Status counted = CountLive(db, owner, &*offer);
  if (!counted.ok()) return Unknown(counted);
  return *std::move(offer);
}

TemplateOffer TemplatesNow(Database* db, const std::string& project,
                           const std::vector<Job>& jobs) {
  TemplateOffer offer;
  const absl::Status read = db->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(offer, Templates::OfferFor(self, project));
    return absl::OkStatus();
  });
  if (!read.ok()) return Unknown(read);
  for (const Job& job : jobs) {
    if (!HasEnded(job)) CountIn(job.spec, &offer);
  }
  return offer;
}

Decision DecideFor(const std::string& username, PolicyInput input) {
  Decision decision = Check(input);
  const std::string& filled_in = decision.spec.reservation;
  if (input.reservation || filled_in == input.spec.reservation) {
    return decision;
  }
  input.reservation = UsableReservation(*input.cluster, filled_in, username);
  return input.reservation ? Check(input) : decision;
}

}  // namespace carme::backend
