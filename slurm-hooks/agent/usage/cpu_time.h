// How much processor time the processes of a job have used on this node.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::agent {

// In /proc/<pid>/cgroup of a job's processes: "/job_28"; empty: Slurm keeps the
// job in no control group of its own. Pure.
std::string ParseJobCgroup(std::string_view cgroups);
// Whether a process with these control groups is of that job. Pure.
bool IsInJobCgroup(std::string_view cgroups, std::string_view mark);
// User and system time of a process and the children that it has waited for, of
// /proc/<pid>/stat. Pure.
std::optional<absl::Duration> ParseCpuTime(std::string_view stat);

// Of all processes in this one's job but itself, or, where it has no control
// group, of all of this user. Nothing: it cannot be seen. Takes as long as
// looking at each process of the node: some milliseconds.
std::optional<absl::Duration> ReadJobCpuTime();

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_
