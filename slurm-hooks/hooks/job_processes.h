// What still runs of a job whose steps are over for Slurm: slurmstepd ends all
// of a step, but when slurmstepd itself was killed nobody does.
#ifndef CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_
#define CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "slurm-hooks/hooks/hook_job.h"

namespace carme::hooks {

// Kills every process in the control groups that slurmd on `node` made for the
// job, of cgroup v1 or v2, and waits until they are gone; root's own are left
// alone. OK when there are none, or no such groups, which costs next to
// nothing. DEADLINE_EXCEEDED: some are left, e.g. because they hang in the
// kernel.
// REQUIRES: root; one thread; all of the job's steps are over.
absl::Status EndJobProcesses(const HookJob& job, const std::string& node,
                             absl::Time deadline);

}  // namespace carme::hooks

#endif  // CARME_SLURM_HOOKS_HOOKS_JOB_PROCESSES_H_
