// The estimated start of a job: carme.v1.StartEstimate as a plain value.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATE_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"
#include "backend/slurm/submitter.h"
#include "common/display_text.h"

namespace carme::v1 {
class StartEstimate;
}  // namespace carme::v1

namespace carme::backend {

struct StartEstimateSummary {
  std::optional<absl::Time> starts_at;
  bool now = false;
  bool fits_now =
      false;  // there is room for it now, though others may go first
  std::vector<std::string> nodes;
  DisplayText sentence;
  std::optional<JobSpec> alternative;
  DisplayText alternative_sentence;
  DisplayText problem;  // instead of all these
};

// Converts Slurm's answer to an estimate. Slurm considers pending jobs of the
// same partition, with their size and time, but not those of other partitions;
// so `now` is only set if no pending job could use one of the nodes. Without a
// start time there is only a sentence; other errors set `problem`. A job on
// nodes with different GPUs and without a GPU type gets a note. Pure. REQUIRES:
// a spec with its defaults filled in.
StartEstimateSummary EstimateStart(
    const JobSpec& spec, const absl::StatusOr<SlurmStartEstimate>& answer,
    const SlurmSnapshot& cluster, absl::Time now);

void Fill(const StartEstimateSummary& estimate, v1::StartEstimate* message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATE_H_
