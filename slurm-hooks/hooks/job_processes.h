// Ends processes of a job that are still running after Slurm considers its
// steps ended: slurmstepd ends all processes of a step, but not if slurmstepd
// itself was killed.
#ifndef CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_
#define CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "slurm-hooks/hooks/hook_job.h"

namespace carme::hooks {

// Kills all processes in the control groups that slurmd on `node` created for
// the job, in cgroup v1 or v2, and waits until they are gone. Skips processes
// of root. Returns OK at once if there are no processes or no such groups.
// DEADLINE_EXCEEDED: some processes remain, for example because they hang in
// the kernel. Requires root, one thread, and that all steps of the job have
// ended.
absl::Status EndJobProcesses(const HookJob& job, const std::string& node,
                             absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_
