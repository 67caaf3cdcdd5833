// What a batch job needs before it runs: its script, its directory, the files
// that its output goes to. All of it is opened as the user, who has named it;
// all of it may block for as long as a file system does not answer.
#ifndef CARME_SLURM_HOOKS_AGENT_BATCH_FILES_H_
#define CARME_SLURM_HOOKS_AGENT_BATCH_FILES_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job_plan.h"

namespace carme::agent {

struct BatchPlaces {
  std::string home;
  std::string directory;  // the job's runtime directory: the script's copy
  std::string job;        // Slurm's id of it, for %j
  std::string array;      // of its array, for %A; empty: as the job's
  std::string task;       // its index, for %a
  mode_t umask = 077;     // for files that are made
};

// From what Slurm set for the job.
BatchPlaces PlacesOf(const std::vector<std::string>& variables,
                     const std::string& home, const std::string& directory,
                     mode_t umask);

struct OutputFile {
  std::string path;
  UniqueFd fd;  // not valid: none, only the job's log
};

struct PreparedBatch {
  std::vector<std::string> arguments;  // the program first
  std::string directory;               // is there, on the node
  OutputFile output;
  OutputFile error;
  bool together = true;  // errors go where the output goes
};

// "%j", "%A", "%a" and "%%" replaced.
std::string ExpandOutput(std::string_view text, const BatchPlaces& places);

// A script is copied, so that what runs is what was there at the start, and its
// first line is obeyed here: it needs no right to be executed. Errors are in
// words for the user.
absl::StatusOr<PreparedBatch> PrepareBatch(const BatchPlan& plan,
                                           const BatchPlaces& places);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_BATCH_FILES_H_
