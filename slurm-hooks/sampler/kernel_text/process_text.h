// Parsers of the files of a process. Pure.
#ifndef CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_PROCESS_TEXT_H_
#define CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_PROCESS_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace carme::sampler {

struct ProcessStat {
  std::string_view name;        // of the program, at most 15 bytes
  uint64_t own_ticks = 0;       // CPU time of the process
  uint64_t children_ticks = 0;  // of the children that it has waited for
  uint64_t start_ticks = 0;     // since the boot
  uint64_t resident_pages = 0;
};
// /proc/<pid>/stat.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// Of which task of which job a process is.
struct ProcessRank {
  std::string job;   // SLURM_JOB_ID; may be empty
  std::string step;  // SLURM_STEP_ID; empty: not of a step of srun
  std::string rank;  // SLURM_PROCID; may be empty
};
// /proc/<pid>/environ. A value that is not a number is empty.
ProcessRank ParseEnvironment(std::string_view text);

// Counts the CPU time, or another counter, of a set of processes whose members
// come and go. The result never decreases.
//
// A process that ended disappears together with its time, but if its parent is
// in the set and has waited for it, the time is in the parent's
// `children_ticks` from then on. So that time is counted once.
class ProcessCounter {
 public:
  void BeginRound();
  // `key` names a process for as long as it lives.
  void AddProcess(uint64_t key, uint64_t own_ticks, uint64_t children_ticks);
  // Returns the ticks since the counter was created, with those before the
  // first round.
  uint64_t EndRound();

 private:
  struct Process {
    uint64_t own_ticks = 0;
    uint64_t children_ticks = 0;
    uint64_t round = 0;
  };
  std::map<uint64_t, Process> processes_;
  uint64_t round_ = 0;
  uint64_t own_added_ = 0;
  uint64_t children_added_ = 0;
  uint64_t total_ = 0;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_PROCESS_TEXT_H_
