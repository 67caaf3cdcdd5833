// carme.v1.Forecast as a plain value, and the words in it.
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

namespace carme::v1 {
class Forecast;
}  // namespace carme::v1

namespace carme::backend {

struct Forecast {
  std::optional<absl::Time> starts_at;
  bool now = false;
  bool room = false;  // there is room for it now, though others may go first
  std::vector<std::string> nodes;
  std::string sentence;
  std::optional<JobSpec> instead;
  std::string alternative_sentence;
  std::string problem;  // instead of all these
};

// What Slurm's answer means for a person. Slurm counts those that wait in the
// same partition by their size and time, those of other partitions not at all;
// so "now" is said only where nobody waits for a node that it could have. A job
// that Slurm knows no time for has a sentence alone; other errors are a
// problem. A job on nodes with different GPUs, without a GPU type, has a note
// of that in its sentence. Pure. REQUIRES: a spec with its defaults filled in.
Forecast EstimateStart(const JobSpec& spec,
                    const absl::StatusOr<SlurmStartEstimate>& answer,
                    const SlurmSnapshot& cluster, absl::Time now);

void Fill(const Forecast& forecast, v1::Forecast* message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATE_H_
