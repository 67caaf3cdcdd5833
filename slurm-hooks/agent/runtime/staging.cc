#include "slurm-hooks/agent/runtime/staging.h"

#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/runtime/messages.h"
#include "slurm-hooks/file_tree/tree_copy.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kChildPollInterval = absl::Milliseconds(20);
// The backend stores each report on disk before it responds.
constexpr absl::Duration kBetweenReports = absl::Seconds(2);

DisplayText Progress(bool in, const std::string& copied,
                     const std::string& all) {
  return in ? MakeText(agent_runtime_messages::kCopyingToNode,
                       {{"copied", copied}, {"all", all}})
            : MakeText(agent_runtime_messages::kCopyingFromNode,
                       {{"copied", copied}, {"all", all}});
}

DisplayText NotCopied(bool in, const absl::Status& status) {
  const DisplayText cause = TextOfStatus(status);
  return in ? MakeText(agent_runtime_messages::kNotCopiedToNode,
                       {{"cause", cause}})
            : MakeText(agent_runtime_messages::kNotCopiedFromNode,
                       {{"cause", cause}});
}

DisplayText Done(const node::CopyProgress& copied, absl::Duration took) {
  const uint64_t files = copied.files;
  const std::string bytes = FormatBytes(copied.bytes);
  const std::string time =
      absl::FormatDuration(absl::Ceil(took, absl::Seconds(1)));
  DisplayText text =
      files == 1
          ? MakeText(agent_runtime_messages::kFileCopied,
                     {{"bytes", bytes}, {"time", time}})
          : MakeText(agent_runtime_messages::kFilesCopied,
                     {{"files", files}, {"bytes", bytes}, {"time", time}});
  if (copied.left_out == 0) return text;
  return JoinTexts({text, MakeText(agent_runtime_messages::kSpecialFilesSkipped,
                                   {{"files", copied.left_out.load()}})});
}

DisplayText WithRemark(const DisplayText& text, const DisplayText& remark) {
  return remark.empty() ? text : JoinTexts({text, remark});
}

}  // namespace

// Shared with the thread, which may outlive this object.
struct Staging::Work {
  std::vector<std::pair<std::string, std::string>> paths;
  mode_t umask = 077;
  node::CopyProgress all;  // measured
  node::CopyProgress copied;
  absl::Mutex mutex;
  bool over ABSL_GUARDED_BY(mutex) = false;
  absl::Status status ABSL_GUARDED_BY(mutex);

  bool Take(absl::Status* out) {
    absl::MutexLock lock(&mutex);
    if (over) *out = status;
    return over;
  }
};

Staging::Staging(net::EventLoop& loop, const Clock& clock,
                 Directories directories, Report report)
    : loop_(loop),
      clock_(clock),
      directories_(std::move(directories)),
      report_(std::move(report)) {}

Staging::~Staging() {
  if (work_ == nullptr) return;
  work_->all.cancel = true;
  work_->copied.cancel = true;
}

void Staging::Copy(const std::shared_ptr<Work>& work) {
  absl::Status status;
  for (const auto& [from, to] : work->paths) {
    if (status.ok()) status = node::MeasureTree(from, &work->all);
  }
  for (const auto& [from, to] : work->paths) {
    if (status.ok())
      status = node::CopyTree(from, to, work->umask, &work->copied);
  }
  absl::MutexLock lock(&work->mutex);
  work->status = status;
  work->over = true;
}

net::Task<absl::Status> Staging::Run(std::string direction,
                                     std::vector<StagingItem> items,
                                     DisplayText remark) {
  if (items.empty()) co_return absl::OkStatus();
  if (directories_.scratch.empty()) {
    co_return MakeError(agent_runtime_messages::kNoScratchForCopies);
  }
  const bool in = direction == kStageIn;
  auto work = std::make_shared<Work>();
  work->umask = directories_.umask;
  for (const StagingItem& item : items) {
    work->paths.emplace_back(
        StagePath(item.from, in ? directories_.home : directories_.scratch,
                  directories_.home),
        StagePath(item.to, in ? directories_.scratch : directories_.home,
                  directories_.home));
  }
  work_ = work;
  const absl::Time begun = clock_.Now();
  std::thread([work] { Copy(work); }).detach();
  report_(direction, carme::v1::APP_STATE_STARTING,
          WithRemark(MakeText(agent_runtime_messages::kCountingFiles), remark));
  absl::Status status;
  absl::Time reported = begun;
  while (!work->Take(&status)) {
    if (co_await Pause(loop_, kChildPollInterval) != 0) {
      co_return absl::CancelledError("the job is ending");
    }
    if (clock_.Now() < reported + kBetweenReports) continue;
    reported = clock_.Now();
    report_(direction, carme::v1::APP_STATE_STARTING,
            WithRemark(Progress(in, FormatBytes(work->copied.bytes),
                                FormatBytes(work->all.bytes)),
                       remark));
  }
  const DisplayText text = status.ok()
                               ? Done(work->copied, clock_.Now() - begun)
                               : NotCopied(in, status);
  LogInfo(in ? "staged in" : "staged out", {{"result", text.text}});
  report_(
      direction,
      status.ok() ? carme::v1::APP_STATE_ENDED : carme::v1::APP_STATE_FAILED,
      WithRemark(text, remark));
  co_return status;
}

std::string StagePath(const std::string& path, const std::string& base,
                      const std::string& home) {
  if (path.starts_with("/")) return path;
  if (path.starts_with("~/")) return absl::StrCat(home, path.substr(1));
  return absl::StrCat(base, "/", path);
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"bytes", "kB", "MB",
                                                 "GB",    "TB", "PB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0 || value >= 99.95) {
    return absl::StrFormat("%.0f %s", value, kUnits[unit]);
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

}  // namespace carme::agent
