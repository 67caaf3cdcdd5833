// Control groups, by which Slurm ends a step.
//
// Without Abseil, as submit_side.h.
#ifndef CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_
#define CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_

#include <sys/types.h>

#include <string>

namespace carme {

// Puts a process into the group of a task of the step by which Slurm tracks it:
// the freezer's (v1) or the only one (v2). So SIGKILL for the step is for the
// process too. true where no such group is in use; false: it is in use, and the
// process is not in it.
bool JoinGroupOf(pid_t task, pid_t process);

// Where the cgroup file system shows the group that a line of
// /proc/PID/cgroup names, by the text of /proc/self/mountinfo; empty: the line
// is of another hierarchy, names its top, or nothing shows it.
std::string GroupDirectory(const std::string& line,
                           const std::string& mountinfo);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_SPANK_STEP_GROUPS_H_
