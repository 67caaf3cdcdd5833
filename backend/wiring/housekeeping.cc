#include "backend/wiring/housekeeping.h"

#include <malloc.h>

#include <algorithm>

#include "absl/time/time.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/image_builds.h"
#include "backend/jobs/jobs.h"

namespace carme::backend {

bool HeapTrim::Check() {
  const size_t used = mallinfo2().uordblks;
  peak_bytes_ = std::max(peak_bytes_, used);
  if (peak_bytes_ - used < kWorthwhileBytes) return false;
  peak_bytes_ = used;
  return malloc_trim(0) == 1;
}

Housekeeping::Housekeeping(const Parts& parts)
    : parts_(parts),
      sessions_("sessions", absl::Seconds(5),
                [this] { parts_.identity->authenticator.Sweep(); }),
      recheck_("recheck", absl::Minutes(1),
               [this] {
                 parts_.identity->authenticator.Recheck();
                 if (parts_.identity->is_further()) {
                   parts_.identity->assertions->Recheck();
                 }
               }),
      queued_rechecks_(
          "queued-rechecks", absl::Seconds(1),
          [this] { parts_.identity->authenticator.RecheckQueued(); }),
      jobs_("jobs", absl::Hours(1), [this] { parts_.jobs->jobs->Sweep(); }),
      quotas_("quotas", absl::Hours(1),
              [this] { parts_.resources->quotas->Sweep(); }),
      history_("history", absl::Hours(1),
               [this] { parts_.jobs->history.Sweep(); }),
      accounting_("accounting", absl::Seconds(5),
                  [this] { parts_.jobs->history.Account(); }),
      utilization_("utilization", absl::Minutes(1),
                   [this] { parts_.jobs->utilization.RecordSample(); }),
      projects_("projects", absl::Minutes(1),
                [this] { parts_.resources->projects.Sweep(); }),
      reservations_("reservations", absl::Seconds(2),
                    [this] { parts_.resources->reservations.Reconcile(); }),
      maintenance_("maintenance", absl::Seconds(2),
                   [this] { parts_.resources->maintenance->Reconcile(); }),
      image_copies_("image-copies", absl::Seconds(2),
                    [this] { parts_.jobs->image_copies.Follow(); }),
      resubmissions_("resubmissions", absl::Seconds(2),
                     [this] { parts_.jobs->resubmissions.Follow(); }),
      inbox_("inbox", absl::Hours(1),
             [this] { parts_.notifications->inbox().Sweep(); }),
      notices_("notices", absl::Seconds(2),
               [this] {
                 Jobs& jobs = *parts_.jobs->jobs;
                 ImageCatalogue& images = *parts_.resources->images;
                 // No page asks for its images while a job builds one.
                 FailOrphanedImages(&images, &jobs);
                 const bool has_images = images.Refresh();
                 if (parts_.notices->Refresh() || has_images) {
                   jobs.feed().WakeAll();
                 }
               }),
      // An error is part of the database's health.
      logs_("logs", absl::Seconds(1),
            [this] { parts_.logs->Flush().IgnoreError(); }),
      node_rules_("node-rules", absl::Seconds(5),
                  [this] { parts_.node_rules->Enforce(); }),
      heap_("heap", absl::Seconds(10),
            [heap = HeapTrim()]() mutable { heap.Check(); }) {}

}  // namespace carme::backend
