#include "slurm-hooks/agent/batch_run.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::agent {

BatchRun::BatchRun(net::EventLoop& loop, BatchPlan plan, BatchPlaces places,
                   Owner owner)
    : loop_(loop),
      plan_(std::move(plan)),
      places_(std::move(places)),
      owner_(std::move(owner)) {}

BatchRun::~BatchRun() {
  if (preparation_.joinable()) preparation_.join();
}

void BatchRun::Begin() {
  // On a thread: it reads files of the user's wherever they lie.
  preparation_ = std::thread([this] {
    auto prepared = std::make_shared<absl::StatusOr<PreparedBatch>>(
        PrepareBatch(plan_, places_));
    loop_.Post([this, prepared] { OnPrepared(std::move(*prepared)); });
  });
}

void BatchRun::OnPrepared(absl::StatusOr<PreparedBatch> prepared) {
  if (stopping_) return;
  const absl::Status started =
      prepared.ok() ? Start(*std::move(prepared)) : prepared.status();
  if (started.ok()) return;
  LogError("the batch job is not started", {{"error", started.ToString()}});
  End(1, std::string(started.message()));
}

absl::StatusOr<int> BatchRun::WriterOf(OutputFile file, int log,
                                       std::unique_ptr<OutputCopy>* copy) {
  if (!file.fd.valid()) return log;
  ASSIGN_OR_RETURN(*copy, OutputCopy::Start(loop_, std::move(file), log,
                                            [this](const absl::Status& copied) {
                                              OnCopied(copied);
                                            }));
  ++copying_;
  return (*copy)->input();
}

absl::Status BatchRun::Start(PreparedBatch batch) {
  carme::node::v1::Start order;
  for (std::string& word : batch.arguments) {
    order.add_arguments(std::move(word));
  }
  order.set_directory(batch.directory);
  order.set_must_enter(true);
  ASSIGN_OR_RETURN(const int output,
                   WriterOf(std::move(batch.output), STDOUT_FILENO, &output_));
  int error = output;
  if (!batch.together) {
    ASSIGN_OR_RETURN(error,
                     WriterOf(std::move(batch.error), STDERR_FILENO, &error_));
  }
  RETURN_IF_ERROR(owner_.start(std::move(order), output, error));
  if (output_ != nullptr) output_->Given();
  if (error_ != nullptr) error_->Given();
  runs_ = true;
  return absl::OkStatus();
}

void BatchRun::OnStarted(const carme::node::v1::Started& started) {
  if (started.error().empty()) {
    LogInfo("batch job started", {{"pid", started.pid()}});
    return owner_.running();
  }
  runs_ = false;
  End(127, started.error());
}

void BatchRun::OnEnded(const carme::node::v1::Ended& ended) {
  LogInfo("batch job ended",
          {{"exit_code", ended.exit_code()}, {"signal", ended.signal()}});
  runs_ = false;
  End(ended.exit_code(), stopping_ ? "stopped" : "");
}

void BatchRun::Stop(int signal) {
  stopping_ = true;
  if (runs_) owner_.signal(signal);
}

void BatchRun::End(int exit_code, std::string detail) {
  if (std::exchange(ended_, true)) return;
  exit_code_ = exit_code;
  detail_ = std::move(detail);
  for (OutputCopy* copy : {output_.get(), error_.get()}) {
    if (copy == nullptr) continue;
    copy->Given();
    copy->Finish();
  }
  FinishWhenCopied();
}

void BatchRun::OnCopied(const absl::Status& copied) {
  --copying_;
  if (!copied.ok()) {
    LogError("output is lost", {{"error", copied.ToString()}});
    lost_ = std::string(copied.message());
  }
  if (ended_) FinishWhenCopied();
}

void BatchRun::FinishWhenCopied() {
  if (copying_ > 0 || std::exchange(over_said_, true)) return;
  if (!lost_.empty()) {
    if (exit_code_ == 0) exit_code_ = 1;
    absl::StrAppend(&detail_, detail_.empty() ? "" : "; ",
                    "its output is not whole: ", lost_);
  }
  owner_.over(exit_code_, detail_);
}

}  // namespace carme::agent
