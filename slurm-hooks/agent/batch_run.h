// What a batch job runs instead of apps, once: from its preparation to its exit
// code, which is the job's.
//
//   Begin ─► prepared, on a thread ─► started ─► ended ─► all written ─► over
//
// Thread rule: the loop's thread.
#ifndef CARME_SLURM_HOOKS_AGENT_BATCH_RUN_H_
#define CARME_SLURM_HOOKS_AGENT_BATCH_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/node/v1/init.pb.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/batch_files.h"
#include "slurm-hooks/agent/job_plan.h"
#include "slurm-hooks/agent/output_copy.h"

namespace carme::agent {

class BatchRun {
 public:
  // What it asks of its owner.
  struct Owner {
    // Has it started: `order` has its arguments and directory.
    std::function<absl::Status(carme::node::v1::Start order, int output,
                               int error)>
        start;
    std::function<void(int signal)> signal;
    std::function<void()> running;
    // Once. `detail` is what its exit code does not say; may be empty.
    std::function<void(int exit_code, const std::string& detail)> over;
  };

  // `loop` must outlive this.
  BatchRun(net::EventLoop& loop, BatchPlan plan, BatchPlaces places,
           Owner owner);
  ~BatchRun();

  void Begin();

  // What carme-init says of it.
  void OnStarted(const carme::node::v1::Started& started);
  void OnEnded(const carme::node::v1::Ended& ended);

  // From now on nothing is started; what runs is told to end.
  void Stop(int signal);
  // It runs, or what it wrote is still being copied.
  bool runs() const { return runs_ || (ended_ && !over_said_); }

 private:
  void OnPrepared(absl::StatusOr<PreparedBatch> prepared);
  absl::Status Start(PreparedBatch batch);
  absl::StatusOr<int> WriterOf(OutputFile file, int log,
                               std::unique_ptr<OutputCopy>* copy);
  void OnCopied(const absl::Status& copied);
  void End(int exit_code, std::string detail);
  void FinishWhenCopied();

  net::EventLoop& loop_;
  const BatchPlan plan_;
  const BatchPlaces places_;
  const Owner owner_;
  std::thread preparation_;
  std::unique_ptr<OutputCopy> output_;
  std::unique_ptr<OutputCopy> error_;
  int copying_ = 0;
  bool runs_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  bool over_said_ = false;
  int exit_code_ = 0;
  std::string detail_;
  std::string lost_;  // why some of its output is
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_BATCH_RUN_H_
