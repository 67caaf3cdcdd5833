// Parsers of the files of control groups, version 1 and 2. Pure. A value that a
// file does not have is absent.
#ifndef CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_CGROUP_TEXT_H_
#define CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_CGROUP_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carme::sampler {

struct CgroupCpu {
  std::optional<double> seconds;
  std::optional<double> user_seconds;
  std::optional<double> system_seconds;
  std::optional<double> throttled_seconds;
  std::optional<uint64_t> throttled_periods;
};
// cpu.stat of version 2 (microseconds) and version 1 (throttling only,
// nanoseconds).
CgroupCpu ParseCpuStat(std::string_view text);
// cpuacct.stat of version 1, in ticks of this system; only user and system.
CgroupCpu ParseCpuAcctStat(std::string_view text);

struct CgroupMemory {
  std::optional<uint64_t> anonymous_bytes;
  std::optional<uint64_t> cache_bytes;
  std::optional<uint64_t> shared_bytes;
  std::optional<uint64_t> swap_bytes;
};
// memory.stat of both versions; of version 1 the totals with the groups below.
CgroupMemory ParseMemoryStat(std::string_view text);
// memory.max and memory.limit_in_bytes; absent without a limit.
std::optional<uint64_t> ParseMemoryLimit(std::string_view text);
// The number of CPUs in "0-3,8" of cpuset.cpus; absent if there is none.
std::optional<uint64_t> CountCpus(std::string_view text);
// The number after a word at the beginning of a line: "oom_kill 3" of
// memory.events and memory.oom_control.
std::optional<uint64_t> ParseKey(std::string_view text, std::string_view key);

// I/O of one device since the group was created.
struct CgroupIo {
  std::optional<uint64_t> read_bytes;
  std::optional<uint64_t> written_bytes;
  std::optional<uint64_t> reads;
  std::optional<uint64_t> writes;
};
// io.stat of version 2, by "major:minor".
std::map<std::string, CgroupIo> ParseIoStat(std::string_view text);
// blkio.throttle.io_service_bytes and .io_serviced of version 1.
std::map<std::string, CgroupIo> ParseBlkio(std::string_view bytes,
                                           std::string_view operations);

struct Pressure {
  std::optional<double> some_seconds;
  std::optional<double> full_seconds;
};
// /proc/pressure/* and *.pressure: the total time that tasks have waited.
Pressure ParsePressure(std::string_view text);

// The directories of a job, by controller. Version 2 has the empty name, and
// then there is no other.
using JobCgroups = std::map<std::string, std::string>;
// The paths of /proc/self/cgroup up to "/job_<id>", as directories of the
// mounts in /proc/self/mountinfo. Empty: Slurm uses no control groups here.
JobCgroups FindJobCgroups(std::string_view cgroups, std::string_view mounts);

// "0" for "step_0", "batch" for "step_batch"; empty: not the group of a step.
std::string_view StepOfDirectory(std::string_view name);

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_CGROUP_TEXT_H_
