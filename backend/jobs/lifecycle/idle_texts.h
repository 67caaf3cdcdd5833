// What users are told about idle jobs.
#ifndef CARME_BACKEND_JOBS_LIFECYCLE_IDLE_TEXTS_H_
#define CARME_BACKEND_JOBS_LIFECYCLE_IDLE_TEXTS_H_

#include <vector>

#include "absl/time/time.h"
#include "backend/jobs/activity/idle_nodes.h"
#include "backend/jobs/activity/idle_policy.h"
#include "backend/jobs/model/job.h"
#include "common/display_text.h"

namespace carme::backend {

// "n1: 0, 1; n2: 0"; of many GPUs the first ones.
DisplayText GpuNames(const std::vector<JobGpu>& gpus);

// The warning of a job; `gpus`: that are idle, empty: the job is unused.
DisplayText WarningText(const Job& job, const IdleTimes& times,
                        absl::Duration idle, const std::vector<JobGpu>& gpus);
// The reason of the end of a stopped job.
DisplayText StopReason(absl::Time since, absl::Duration idle,
                       const std::vector<JobGpu>& gpus);

DisplayText NodesWarningText(const Job& job, const IdleTimes& times,
                             const IdleNodeGroup& idle);
DisplayText NodesReturnedText(const Job& job, const IdleNodeGroup& idle);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_LIFECYCLE_IDLE_TEXTS_H_
