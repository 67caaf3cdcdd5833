#include "backend/slurm/poll/async_slurm_query.h"

#include <ctime>
#include <thread>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Duration ProcessorTimeOfThread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

SlurmAnswer AnswerOf(SlurmQuery& query, const std::vector<SlurmJobId>& jobs,
                     PollScope scope) {
  if (jobs.empty()) {
    RETURN_IF_ERROR(query.Refresh(scope));
    return query.facts();
  }
  SlurmFacts facts;
  ASSIGN_OR_RETURN(facts.jobs, query.RefreshJob(jobs));
  facts.asked_alone = jobs;
  return facts;
}

}  // namespace

struct AsyncSlurmQuery::State {
  explicit State(const SlurmConfig& config) : query(config) {}

  SlurmQuery query;  // of the thread alone
  absl::Mutex mutex;
  bool asked ABSL_GUARDED_BY(mutex) = false;            // and not answered
  std::vector<SlurmJobId> jobs ABSL_GUARDED_BY(mutex);  // none: all
  PollScope scope ABSL_GUARDED_BY(mutex);
  std::set<SlurmJobId> tracked ABSL_GUARDED_BY(mutex);
  bool tracked_changed ABSL_GUARDED_BY(mutex) = false;  // the query lacks it
  bool stopped ABSL_GUARDED_BY(mutex) = false;
  std::optional<SlurmAnswer> answer ABSL_GUARDED_BY(mutex);
  absl::Duration cost ABSL_GUARDED_BY(mutex);  // of the last one

  bool HasWork() ABSL_SHARED_LOCKS_REQUIRED(mutex) { return asked || stopped; }
  bool HasAnswer() ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return answer.has_value();
  }
};

AsyncSlurmQuery::AsyncSlurmQuery(const SlurmConfig& config)
    : state_(std::make_shared<State>(config)) {
  std::thread(Serve, state_).detach();
}

AsyncSlurmQuery::~AsyncSlurmQuery() {
  absl::MutexLock lock(&state_->mutex);
  state_->stopped = true;
}

void AsyncSlurmQuery::Ask(std::vector<SlurmJobId> jobs, PollScope scope) {
  absl::MutexLock lock(&state_->mutex);
  // An answer that came too late for the caller to wait is taken first: else
  // each later question would be given the answer of the one before.
  if (state_->asked || state_->answer.has_value()) return;
  state_->asked = true;
  state_->jobs = std::move(jobs);
  state_->scope = scope;
}

void AsyncSlurmQuery::Track(SlurmJobId job) {
  absl::MutexLock lock(&state_->mutex);
  if (state_->tracked.insert(job).second) state_->tracked_changed = true;
}

void AsyncSlurmQuery::TrackOnly(std::set<SlurmJobId> jobs) {
  absl::MutexLock lock(&state_->mutex);
  if (state_->tracked == jobs) return;
  state_->tracked = std::move(jobs);
  state_->tracked_changed = true;
}

std::optional<SlurmAnswer> AsyncSlurmQuery::Wait(absl::Duration timeout) {
  absl::MutexLock lock(&state_->mutex);
  state_->mutex.AwaitWithTimeout(
      absl::Condition(state_.get(), &State::HasAnswer), timeout);
  return std::exchange(state_->answer, std::nullopt);
}

absl::Duration AsyncSlurmQuery::Cost() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->cost;
}

void AsyncSlurmQuery::Serve(std::shared_ptr<State> state) {
  while (true) {
    std::vector<SlurmJobId> jobs;
    PollScope scope;
    {
      absl::MutexLock lock(&state->mutex);
      state->mutex.Await(absl::Condition(state.get(), &State::HasWork));
      if (state->stopped) return;
      jobs = state->jobs;
      scope = state->scope;
      if (std::exchange(state->tracked_changed, false)) {
        state->query.Track(state->tracked);
      }
    }
    const absl::Duration before = ProcessorTimeOfThread();
    SlurmAnswer answer = AnswerOf(state->query, jobs, scope);
    absl::MutexLock lock(&state->mutex);
    state->asked = false;
    state->answer = std::move(answer);
    state->cost = ProcessorTimeOfThread() - before;
  }
}

}  // namespace carme::backend
