// The files of one process of a recording, in the format of gssr-record 2.1:
// DIR/CLUSTER_JOB/step_S/proc_R.csv and proc_0.meta.txt. Beside them
// proc_R.source.json names the driver and the devices. A second recording of
// the same process is in DIR/run_2/CLUSTER_JOB/step_S, a third one in run_3:
// readers of DIR see one recording of a step, and readers of DIR/run_2 the
// other.
#ifndef CARME_SLURM_HOOKS_GSSR_RECORD_FILES_H_
#define CARME_SLURM_HOOKS_GSSR_RECORD_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "slurm-hooks/gpu/gpu_set.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gssr {

// What Slurm's variables say about this process.
struct StepFacts {
  bool is_in_slurm = false;
  std::string cluster = "nocluster";
  std::string job_id = "0";
  std::string job_name = "nojobname";
  std::string step_id = "0";
  std::string process_id = "0";
  std::string local_id = "0";
  std::string nodes;
  std::string tasks;
  std::string gpus;  // of the node
  std::string step_nodes;
  std::string step_tasks;
};
// A value that is not a plain name, which would leave the folder, becomes 0.
StepFacts ReadStepFacts(const gpu::Environment& environment);

// meta.txt and source.json; pure.
std::string FormatMeta(const StepFacts& facts,
                       const std::vector<std::string>& command,
                       absl::Time start, absl::TimeZone zone);
std::string FormatSource(const gpu::GpuSourceInfo& info,
                         const std::vector<gpu::GpuDevice>& devices);

inline constexpr int kMaxRuns = 1000;

class RecordFiles {
 public:
  // Creates the folder, in which this process has no files yet. ALREADY_EXISTS:
  // there were kMaxRuns recordings.
  static absl::StatusOr<RecordFiles> Create(const std::string& directory,
                                            const StepFacts& facts);
  absl::Status WriteMeta(std::string_view meta) const;
  absl::Status WriteSource(std::string_view source) const;
  absl::Status OpenCsv();
  // One write(2): a program that is killed leaves whole lines.
  absl::Status Append(std::string_view lines);
  const std::string& folder() const { return folder_; }
  // 1, or more if there were recordings of this process before.
  int run() const { return run_; }

 private:
  RecordFiles(std::string folder, std::string process_id, int run);
  std::string Path(std::string_view suffix) const;
  bool HasFiles() const;

  std::string folder_;
  std::string process_id_;
  int run_;
  UniqueFd csv_;
};

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_RECORD_FILES_H_
