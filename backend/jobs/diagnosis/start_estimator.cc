#include "backend/jobs/diagnosis/start_estimator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/diagnosis/alternative_sizes.h"
#include "backend/jobs/model/slurm_submission.h"
#include "backend/policy/cluster/shortage.h"
#include "common/ids.h"

namespace carme::backend {
namespace {

constexpr int kThreads = 2;
constexpr int kMaxAsks = 4;  // about smaller shapes, of one wish
constexpr absl::Duration kKeptFor = absl::Seconds(5);
constexpr size_t kMaxKept = 1000;
// A wait that is shorter is not worth a smaller job.
constexpr absl::Duration kWorthwhile = absl::Minutes(10);

// All that Slurm is told but the name and the job's id.
std::string KeyOf(const StartEstimator::Wish& wish) {
  const JobSpec& spec = wish.decision.spec;
  return absl::StrCat(
      wish.user.uid.value(), "|", wish.decision.account, "|", spec.partition,
      "|", spec.nodes, "|", spec.gpus_per_node, "|", spec.gpu_type, "|",
      spec.cpus_per_node, "|", spec.memory_per_node_mib, "|",
      absl::ToInt64Minutes(spec.walltime), "|", wish.asked.cpus_per_node, "|",
      wish.asked.memory_per_node_mib, "|", spec.job_template, "|", spec.qos,
      "|", spec.reservation, "|", spec.image, "|", spec.environment, "|",
      absl::StrJoin(wish.decision.excluded_nodes, ","));
}

Forecast Late() {
  Forecast late;
  late.problem = "Slurm has not estimated its start time yet.";
  return late;
}

using Ask = std::function<Forecast(const Decision& decision)>;

// At least twice as soon, and by minutes.
bool IsMuchSooner(const Forecast& found, const Forecast& than, absl::Time now) {
  if (!found.starts_at || !than.starts_at) return false;
  const absl::Duration wait = *than.starts_at - now;
  return *found.starts_at - now < wait / 2 && wait > kWorthwhile;
}

// Of the shapes that look free: the nearest that there is room for now, or else
// the nearest that starts much sooner.
void LookForLess(const StartEstimator::Wish& wish, const SlurmSnapshot& cluster,
                 const Ask& ask, absl::Time now, Forecast* forecast) {
  int asks = 0;
  for (const AlternativeSize& shape :
       AlternativeSizes(wish.asked, wish.decision.spec)) {
    const Decision decision = wish.decide(shape.spec);
    if (!decision.violations.empty() ||
        !Shortage(decision.spec, cluster).empty()) {
      continue;
    }
    if (++asks > kMaxAsks) return;
    const Forecast found = ask(decision);
    // Neither will the next be answered, and each holds up a thread.
    if (!found.problem.empty()) return;
    if (!found.room &&
        (forecast->instead || !IsMuchSooner(found, *forecast, now))) {
      continue;
    }
    forecast->instead = decision.spec;
    forecast->alternative_sentence = absl::StrCat(
        shape.words,
        found.now    ? " it starts now."
        : found.room ? " the resources are free now."
                     : absl::StrCat(" it starts in about ",
                                    RoughTime(*found.starts_at - now), "."));
    if (found.room) return;
  }
}

}  // namespace

StartEstimator::StartEstimator(Submitter* submitter, Scheduler* scheduler,
                       const Clock* clock, absl::Duration timeout)
    : submitter_(submitter),
      scheduler_(scheduler),
      clock_(clock),
      timeout_(timeout) {
  for (int i = 0; i < kThreads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

StartEstimator::~StartEstimator() {
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  ending_ = true;
  for (std::thread& thread : threads_) thread.join();
}

std::optional<Forecast> StartEstimator::Foresee(Wish wish) {
  const std::string key = KeyOf(wish);
  absl::MutexLock lock(&mutex_);
  if (std::optional<Forecast> kept = FindKept(key)) return kept;
  const Uid uid = wish.user.uid;
  if (inside_ >= kMaxInside || inside_of_[uid] >= kMaxOfUser) return Late();
  ++inside_;
  ++inside_of_[uid];
  const std::shared_ptr<Work> work = Enqueue(std::move(wish), key);
  const auto settled = [&work] { return work->replaced || work->done; };
  mutex_.AwaitWithTimeout(absl::Condition(&settled), timeout_);
  --inside_;
  if (--inside_of_[uid] == 0) inside_of_.erase(uid);
  if (work->done) return work->done;
  if (work->replaced) return std::nullopt;
  return Late();
}

std::optional<Forecast> StartEstimator::FindKept(const std::string& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end() || clock_->Now() - found->second.at > kKeptFor ||
      found->second.version != scheduler_->Snapshot()->version) {
    return std::nullopt;
  }
  return found->second.forecast;
}

std::shared_ptr<StartEstimator::Work> StartEstimator::Enqueue(Wish wish,
                                                      const std::string& key) {
  const Uid uid = wish.user.uid;
  const auto current = current_.find(uid);
  if (current != current_.end() && current->second->key == key) {
    return current->second;
  }
  const auto waiting = std::find_if(
      queue_.begin(), queue_.end(),
      [&](const auto& work) { return work->wish.user.uid == uid; });
  if (waiting != queue_.end() && (*waiting)->key == key) return *waiting;
  auto work = std::make_shared<Work>();
  work->wish = std::move(wish);
  work->key = key;
  if (waiting != queue_.end()) {
    // In the old one's place: who types goes on waiting where they were.
    (*waiting)->replaced = true;
    *waiting = work;
  } else {
    queue_.push_back(work);
  }
  return work;
}

bool StartEstimator::HasNext() const {
  return stopped_ ||
         std::any_of(queue_.begin(), queue_.end(), [this](const auto& work) {
           return !current_.contains(work->wish.user.uid);
         });
}

std::shared_ptr<StartEstimator::Work> StartEstimator::TakeNext() {
  mutex_.Await(absl::Condition(this, &StartEstimator::HasNext));
  if (stopped_) return nullptr;
  const auto next =
      std::find_if(queue_.begin(), queue_.end(), [this](const auto& work) {
        return !current_.contains(work->wish.user.uid);
      });
  const std::shared_ptr<Work> work = *next;
  queue_.erase(next);
  current_[work->wish.user.uid] = work;
  return work;
}

void StartEstimator::Run() {
  absl::MutexLock lock(&mutex_);
  while (const std::shared_ptr<Work> work = TakeNext()) {
    mutex_.Unlock();
    const uint64_t version = scheduler_->Snapshot()->version;
    Forecast forecast = Answer(work->wish);
    mutex_.Lock();
    if (forecast.problem.empty()) Keep(work->key, forecast, version);
    work->done = std::move(forecast);
    current_.erase(work->wish.user.uid);
  }
}

void StartEstimator::Keep(const std::string& key, const Forecast& forecast,
                      uint64_t version) {
  const absl::Time now = clock_->Now();
  std::erase_if(
      kept_, [&](const auto& row) { return now - row.second.at > kKeptFor; });
  if (kept_.size() >= kMaxKept) kept_.clear();
  kept_[key] = {.forecast = forecast, .version = version, .at = now};
}

Forecast StartEstimator::Answer(const Wish& wish) {
  const SlurmSnapshotPtr cluster = scheduler_->Snapshot();
  const auto ask = [&](const Decision& decision) {
    if (ending_) return Late();
    Submission submission = SubmissionOf(NewJobId(), decision);
    submission.array.clear();  // what is foreseen is the start of its first
    return EstimateStart(
        decision.spec,
        submitter_->EstimateStartAsUser(wish.user, submission, wish.request_id),
        *cluster, clock_->Now());
  };
  Forecast forecast = ask(wish.decision);
  if (forecast.room || !forecast.problem.empty()) return forecast;
  LookForLess(wish, *cluster, ask, clock_->Now(), &forecast);
  return forecast;
}

}  // namespace carme::backend
