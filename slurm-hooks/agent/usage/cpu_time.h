// CPU time that the processes of a job have used on this node.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::agent {

// Returns the part such as "/job_28" of /proc/<pid>/cgroup that identifies the
// job; empty if Slurm does not use control groups. Pure.
std::string ParseJobCgroup(std::string_view cgroups);
// Returns whether a process with these control groups belongs to the job. Pure.
bool IsInJobCgroup(std::string_view cgroups, std::string_view mark);
// Returns user and system time of a process and its reaped children, from
// /proc/<pid>/stat. Pure.
std::optional<absl::Duration> ParseCpuTime(std::string_view stat);

// Returns the CPU time of all processes in this job except this process;
// without control groups, of all processes of this user. nullopt: unknown.
// Reads all processes of the node, which takes some milliseconds.
std::optional<absl::Duration> ReadJobCpuTime();

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_CPU_TIME_H_
