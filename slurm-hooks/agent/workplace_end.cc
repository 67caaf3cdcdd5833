// How a job's programs end, and what is done after them.
#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "slurm-hooks/agent/pause.h"
#include "slurm-hooks/agent/workplace.h"

namespace carme::agent {
namespace {

// Slurm's KillWait is 30 s unless a site made it shorter, and then it kills.
constexpr absl::Duration kGrace = absl::Seconds(3);
constexpr absl::Duration kLook = absl::Milliseconds(20);
// A batch job may have to write down how far it is; results are copied after
// it.
constexpr absl::Duration kBatchGrace = absl::Seconds(20);
constexpr absl::Duration kBatchGraceBeforeResults = absl::Seconds(10);
constexpr char kEarlyEnd[] =
    "its walltime was nearly over: it was ended so that its results could be "
    "copied";

}  // namespace

void Workplace::Stop(int signal) { Leave(128 + signal, "stopped"); }

void Workplace::FinishEarly() {
  if (stopping_ || over_said_ || plan_.stage_out.empty() || !staged_in_) return;
  LogInfo("the walltime is nearly over: results are copied");
  early_ = true;
  if (batch_ != nullptr) return Leave(1, kEarlyEnd);
  Leave(0, "");
}

void Workplace::Leave(int exit_code, const std::string& detail) {
  if (stopping_) return;
  stopping_ = true;
  environment_.Expect();
  if (peers_ != nullptr) peers_->Expect();
  if (!environment_.entered()) return End(exit_code, detail);
  apps_.Stop(SIGTERM);
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  loop_.Spawn(AwaitEnd(exit_code, detail));
}

net::Task<void> Workplace::AwaitApps() {
  absl::Duration grace = kGrace;
  if (batch_ != nullptr) {
    grace = plan_.stage_out.empty() ? kBatchGrace : kBatchGraceBeforeResults;
  }
  const absl::Time deadline = clock_.Now() + grace;
  while (AnyRuns() && clock_.Now() < deadline) {
    if (co_await Pause(loop_, kLook) != 0) co_return;
  }
  if (!AnyRuns()) co_return;
  LogWarning(batch_ != nullptr ? "the batch job does not end: killed"
                               : "an app does not end: killed");
}

bool Workplace::AnyRuns() const {
  return apps_.AnyRuns() || (batch_ != nullptr && batch_->runs());
}

net::Task<void> Workplace::AwaitEnd(int exit_code, std::string detail) {
  co_await AwaitApps();
  End(exit_code, detail);
}

// For as long as Slurm lets the job live, which after a cancellation is
// KillWait.
net::Task<void> Workplace::StageOut(int exit_code, std::string detail) {
  apps_.Stop(SIGTERM);  // what still writes
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  co_await AwaitApps();
  const std::string remark = early_ ? "; begun before the walltime's end" : "";
  const absl::Status staged =
      co_await staging_.Run(kStageOut, plan_.stage_out, remark);
  if (absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    if (exit_code == 0) exit_code = 1;
    if (!detail.empty()) absl::StrAppend(&detail, "; ");
    absl::StrAppend(&detail, "its results were ",
                    std::string(staged.message()));
  }
  over_(exit_code, detail);
}

void Workplace::End(int exit_code, const std::string& detail) {
  if (std::exchange(over_said_, true)) return;
  if (plan_.stage_out.empty() || !staged_in_) return over_(exit_code, detail);
  loop_.Spawn(StageOut(exit_code, detail));
}

}  // namespace carme::agent
