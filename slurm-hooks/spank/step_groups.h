// The control groups by which Slurm ends a step.
//
// Does not use Abseil, like submit_side.h.
#ifndef CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_
#define CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_

#include <sys/types.h>

#include <string>

namespace carme {

// Moves a process into the control group by which Slurm tracks a task of the
// step: the freezer (cgroup v1) or the only hierarchy (v2), so that SIGKILL for
// the step also ends this process. Returns true if no such group is in use;
// false if one is in use but the process could not be moved.
bool JoinGroupOf(pid_t task, pid_t process);

// Returns the directory of the group that a line of /proc/PID/cgroup names,
// according to the text of /proc/self/mountinfo; empty if the line is of
// another hierarchy, names the root group, or is not mounted.
std::string GroupDirectory(const std::string& line,
                           const std::string& mountinfo);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_
