#include "backend/slurm/slurm_asker.h"

#include <ctime>
#include <thread>
#include <utility>

#include "absl/synchronization/mutex.h"

namespace carme {
namespace {

absl::Duration ProcessorTimeOfThread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

}  // namespace

struct SlurmAsker::State {
  explicit State(const SlurmConfig& config) : query(config) {}

  SlurmQuery query;  // of the thread alone
  absl::Mutex mutex;
  bool asked ABSL_GUARDED_BY(mutex) = false;  // and not answered
  bool stopped ABSL_GUARDED_BY(mutex) = false;
  std::optional<SlurmAnswer> answer ABSL_GUARDED_BY(mutex);
  absl::Duration cost ABSL_GUARDED_BY(mutex);  // of the last one

  bool HasWork() ABSL_SHARED_LOCKS_REQUIRED(mutex) { return asked || stopped; }
  bool HasAnswer() ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return answer.has_value();
  }
};

SlurmAsker::SlurmAsker(const SlurmConfig& config)
    : state_(std::make_shared<State>(config)) {
  std::thread(Serve, state_).detach();
}

SlurmAsker::~SlurmAsker() {
  absl::MutexLock lock(&state_->mutex);
  state_->stopped = true;
}

void SlurmAsker::Ask() {
  absl::MutexLock lock(&state_->mutex);
  // An answer that came too late for the caller to wait is taken first: else
  // each later question would be given the answer of the one before.
  if (!state_->answer.has_value()) state_->asked = true;
}

std::optional<SlurmAnswer> SlurmAsker::Wait(absl::Duration timeout) {
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(state_.get(), &State::HasAnswer), timeout);
  return std::exchange(state_->answer, std::nullopt);
}

absl::Duration SlurmAsker::Cost() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->cost;
}

void SlurmAsker::Serve(std::shared_ptr<State> state) {
  while (true) {
    {
      absl::MutexLock lock(&state->mutex);
      state->mutex.Await(absl::Condition(state.get(), &State::HasWork));
      if (state->stopped) return;
    }
    const absl::Duration before = ProcessorTimeOfThread();
    const absl::Status refreshed = state->query.Refresh();
    SlurmAnswer answer = refreshed.ok() ? SlurmAnswer(state->query.facts())
                                        : SlurmAnswer(refreshed);
    absl::MutexLock lock(&state->mutex);
    state->asked = false;
    state->answer = std::move(answer);
    state->cost = ProcessorTimeOfThread() - before;
  }
}

}  // namespace carme
