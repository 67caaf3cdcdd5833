// The processes of the job on this node, by step and rank: CPU time, resident
// memory, I/O, their number. Only tasks of steps that the user started by srun
// have a rank: the batch script, the extern step and Carme's agents do not.
//
// Members are found in the job's control group, or, without control groups, by
// SLURM_JOB_ID in their environment, so that jobs of the same user are
// separate.
#ifndef CARME_SLURM_HOOKS_SAMPLER_PROCESS_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_PROCESS_SOURCE_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "slurm-hooks/sampler/kernel_text/process_text.h"
#include "slurm-hooks/sampler/metric_source.h"
#include "slurm-hooks/sampler/process_ranks.h"
#include "slurm-hooks/sampler/sample_file.h"
#include "slurm-hooks/sampler/series_set.h"

namespace carme::sampler {

struct ProcessSourceOptions {
  // A directory of the job in a hierarchy of control groups that has all of its
  // processes; empty: there is none.
  std::string cgroup;
  std::string slurm_job;  // Slurm's id, for a node without control groups
  // The step of Carme's agents on this node, whose processes are no ranks of
  // the user's; empty: they are in the batch step.
  std::string agent_step{};
  // The control groups do not count the CPU time of the job: this source does.
  bool counts_job_cpu = false;
  // Has the ranks of the last round; null: not needed.
  std::shared_ptr<ProcessRanks> ranks{};
};

class ProcessSource : public MetricSource {
 public:
  ProcessSource(ProcessSourceOptions options, SampleBuffer* buffer);
  ~ProcessSource() override;

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

 private:
  struct Process {
    SampleFile stat;  // not valid: opened in each round
    SampleFile io;    // not valid: not readable
    std::string step;
    std::string rank;
    uint64_t round = 0;
    uint64_t first_round = 0;
  };
  struct Group;  // the processes of one rank

  // A control group with processes, and the step that it belongs to. Its file
  // is opened for each read: version 1 repeats an old list to a reader that
  // keeps it open and reads more than once a second.
  struct ProcessList {
    std::string step;
    uint64_t round = 0;
  };
  void FindLists(const std::string& directory, const std::string& step,
                 int depth);
  void ReadLists();
  void ReadAllProcesses();
  void AddMember(pid_t pid, const std::string& step);
  void ReadRank(pid_t pid, Process* process) const;
  void ReadIo(uint64_t key, const Process& process, Group* group);
  void ReadMember(pid_t pid, Process* process);
  void UpdateRanks();
  Group& GroupOf(const Process& process);

  const ProcessSourceOptions options_;
  uint32_t source_ = 0;
  uint64_t round_ = 0;
  size_t open_files_ = 0;
  std::map<std::string, ProcessList> lists_;  // by directory
  std::unordered_map<pid_t, Process> processes_;
  std::unordered_map<pid_t, bool> others_;  // not of this job
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Group>> groups_;
  ProcessCounter job_cpu_;
  ProcessCounter job_reads_;
  ProcessCounter job_writes_;
  bool has_io_ = false;
  SeriesSet job_series_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_PROCESS_SOURCE_H_
