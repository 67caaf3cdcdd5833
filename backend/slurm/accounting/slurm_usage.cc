#include "backend/slurm/accounting/slurm_usage.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/slurm/accounting/messages.h"
#include "backend/slurm/accounting/slurmdbd_query.h"
#include "common/message.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(10);

}  // namespace

struct SlurmdbdUsage::State {
  absl::Mutex mutex;
  bool busy ABSL_GUARDED_BY(mutex) = false;
};

SlurmdbdUsage::SlurmdbdUsage()
    : cluster_(AccountedCluster()), state_(std::make_shared<State>()) {}

SlurmdbdUsage::~SlurmdbdUsage() = default;

absl::StatusOr<std::vector<AccountedRun>> SlurmdbdUsage::LoadRuns(
    const std::vector<SlurmJobId>& jobs) {
  using Answer = absl::StatusOr<std::vector<AccountedRun>>;
  if (!IsConfigured())
    return MakePlainError(slurm_accounting_messages::kNotConfigured);
  {
    absl::MutexLock lock(&state_->mutex);
    const bool is_free = state_->mutex.AwaitWithTimeout(
        absl::Condition(
            +[](bool* busy) { return !*busy; }, &state_->busy),
        kTimeout);
    if (!is_free) {
      return MakePlainError(slurm_accounting_messages::kNotResponding);
    }
    state_->busy = true;
  }
  const auto answer = std::make_shared<std::optional<Answer>>();
  std::thread([state = state_, answer, cluster = cluster_, jobs] {
    Answer given = QuerySlurmdbd(cluster, jobs);
    absl::MutexLock lock(&state->mutex);
    *answer = std::move(given);
    state->busy = false;
  }).detach();
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(
          +[](std::optional<Answer>* given) { return given->has_value(); },
          answer.get()),
      kTimeout);
  if (!answer->has_value()) {
    return MakePlainError(slurm_accounting_messages::kTimedOut);
  }
  return *std::move(*answer);
}

}  // namespace carme::backend
