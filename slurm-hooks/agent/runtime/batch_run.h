// Runs the program of a batch job once: prepares its script, directory and
// output files, starts it, copies its output, and returns its exit code.
//
//   Begin ─► prepared, on a thread ─► started ─► ended ─► output copied ─► over
//
// Thread safety: used on the loop's thread only, unless a comment says
// otherwise.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_BATCH_RUN_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_BATCH_RUN_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/init.pb.h"
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/agent/metrics/job_metrics.h"

namespace carme::agent {

struct BatchContext {
  std::string home;
  // the job's runtime directory, for the copy of the script
  std::string directory;
  std::string job;     // Slurm's job id, for %j
  std::string array;   // id of the job array, for %A; empty: same as the job
  std::string task;    // array task index, for %a
  mode_t umask = 077;  // for created files
};

// Reads the context from the variables that Slurm sets for the job.
BatchContext ReadBatchContext(const std::vector<std::string>& variables,
                              const std::string& home,
                              const std::string& directory, mode_t umask);

struct OutputFile {
  std::string path;
  UniqueFd fd;  // invalid: output goes to the job's log only
};

struct PreparedBatch {
  std::vector<std::string> arguments;  // the program first
  std::string directory;               // exists on this node
  OutputFile output;
  OutputFile error;
  bool together = true;  // errors go to the same file as output
};

// Replaces "%j", "%A", "%a" and "%%".
std::string ExpandOutput(std::string_view text, const BatchContext& context);

// Opens the output files, checks the directory and copies the script, so that
// later changes of the script have no effect. The interpreter is read from the
// first line of the script, which needs no execute permission. Errors are
// messages for the user. Blocks for the file systems of the user.
absl::StatusOr<PreparedBatch> PrepareBatch(const BatchPlan& plan,
                                           const BatchContext& context);

class OutputCopy {
 public:
  // `on_done` is called once, on the loop, after Finish or when all writers
  // have closed their end, with the first error. `log` stays the caller's.
  using OnDone = std::function<void(const absl::Status&)>;
  // Without a file everything is copied to the log. `metrics` gets the output,
  // too; may be null.
  static absl::StatusOr<std::unique_ptr<OutputCopy>> Start(net::EventLoop& loop,
                                                           OutputFile file,
                                                           int log,
                                                           JobMetrics* metrics,
                                                           OnDone on_done);
  ~OutputCopy();

  // The descriptor for the output of the program.
  int input() const { return input_.get(); }
  // Closes this copy of the descriptor after the program has inherited it.
  void Given() { input_.reset(); }
  // Call when the program has ended: copies what it has written, without
  // waiting for processes that it left behind.
  void Finish() { finishing_ = true; }

  static constexpr int64_t kMaxInLog = 16 << 20;

 private:
  OutputCopy(net::EventLoop& loop, OutputFile file, int log,
             JobMetrics* metrics, OnDone on_done);
  void Copy();
  void Put(const char* bytes, size_t size);
  int WriteAll(int fd, std::string_view bytes);

  net::EventLoop& loop_;
  OutputFile file_;
  const int log_;
  const bool is_log_only_;
  JobMetrics* const metrics_;
  const OnDone on_done_;
  UniqueFd source_;
  UniqueFd input_;
  std::atomic<bool> finishing_ = false;
  int64_t logged_ = 0;
  absl::Status first_error_;
  std::thread thread_;
};

class BatchRun {
 public:
  // Callbacks to the owner.
  struct Owner {
    // Starts the program: `request` contains its arguments and directory.
    std::function<absl::Status(carme::node::v1::StartProgram request,
                               int output, int error)>
        start;
    std::function<void(int signal)> signal;
    std::function<void()> running;
    // Called once. `detail` explains more than the exit code does; may be
    // empty.
    std::function<void(int exit_code, const DisplayText& detail)> over;
  };

  // `loop` must outlive this, and `metrics`, which gets the program's standard
  // output; may be null.
  BatchRun(net::EventLoop& loop, BatchPlan plan, BatchContext context,
           JobMetrics* metrics, Owner owner);
  ~BatchRun();

  void Begin();

  // Events of carme-init.
  void OnStarted(const carme::node::v1::ProgramStarted& started);
  void OnEnded(const carme::node::v1::ProgramEnded& ended);

  // Sends `signal` to the program. After this call nothing is started.
  void Stop(int signal);
  // Returns true while the program runs or its output is being copied.
  bool is_running() const { return running_ || (ended_ && !exit_reported_); }

 private:
  void OnPrepared(absl::StatusOr<PreparedBatch> prepared);
  absl::Status Start(PreparedBatch batch);
  absl::StatusOr<int> WriterOf(OutputFile file, int log, JobMetrics* metrics,
                               std::unique_ptr<OutputCopy>* copy);
  void OnCopied(const absl::Status& copied);
  void End(int exit_code, DisplayText detail);
  void FinishWhenCopied();

  net::EventLoop& loop_;
  const BatchPlan plan_;
  const BatchContext context_;
  JobMetrics* const metrics_;
  const Owner owner_;
  std::thread preparation_;
  std::unique_ptr<OutputCopy> output_;
  std::unique_ptr<OutputCopy> error_;
  int copying_ = 0;
  bool running_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  bool exit_reported_ = false;
  int exit_code_ = 0;
  DisplayText detail_;
  std::string lost_;  // why some output was lost
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_BATCH_RUN_H_
