#include "backend/jobs/state/array_state_machine.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/job_ending.h"
#include "backend/jobs/state/messages.h"
#include "backend/policy/spec/array.h"
#include "common/encoding.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {
namespace {

// Of kTaskFailure.
constexpr char kFailurePrefix[] = "task ";
// In the stored form, before its code in base64url.
constexpr char kCodePrefix[] = "code ";

bool IsFailure(JobEnd end) {
  return end == v1::JOB_END_FAILED || end == v1::JOB_END_TIME_LIMIT ||
         end == v1::JOB_END_NODE_FAIL || end == v1::JOB_END_OUT_OF_MEMORY;
}

int64_t CountOf(const JobArray& array, JobEnd end) {
  const auto found = array.ended.find(end);
  return found == array.ended.end() ? 0 : found->second.size();
}

TaskSet AllEnded(const JobArray& array) {
  TaskSet all;
  for (const auto& [end, tasks] : array.ended) all.Add(tasks);
  return all;
}

// The tasks of one record; nullopt: unknown.
std::optional<TaskSet> TasksOf(const SlurmJob& slurm) {
  if (slurm.task) {
    TaskSet one;
    one.Add(*slurm.task);
    return one;
  }
  absl::StatusOr<ArrayShape> shape = ParseArray(slurm.tasks_waiting);
  // Slurm's list may be longer than a user's.
  if (!shape.ok()) {
    const std::string_view list = slurm.tasks_waiting;
    absl::StatusOr<TaskSet> tasks =
        TaskSet::Parse(list.substr(0, list.find('%')));
    if (!tasks.ok()) return std::nullopt;
    return *std::move(tasks);
  }
  return std::move(shape->tasks);
}

absl::Duration WalltimeOf(const SlurmJob& slurm) {
  return slurm.walltime.value_or(absl::InfiniteDuration());
}

// Applies one observation of all records.
class ArrayTransition {
 public:
  ArrayTransition(const Job& job, TaskSet all, const Observation& seen,
                  const TaskEndDetails& end_details)
      : before_(job),
        all_(std::move(all)),
        seen_(seen),
        end_details_(end_details) {
    next_ = job;
    array().pending = array().running = 0;
    ended_before_ = AllEnded(array());
  }

  void At(const SlurmJob& slurm) {
    const std::optional<TaskSet> said = TasksOf(slurm);
    if (!said || slurm.state == SlurmState::kUnknown) {
      unsure_ = true;
      return;
    }
    const TaskSet tasks = said->And(all_);
    present_.Add(tasks);
    if (slurm.state == SlurmState::kPending) {
      array().pending += tasks.Without(ended_before_).size();
      if (waiting_ == nullptr) waiting_ = &slurm;
      active_.push_back(&slurm);
    } else if (IsActive(slurm.state) ||
               slurm.state == SlurmState::kCompleting) {
      array().running += tasks.Without(ended_before_).size();
      if (IsActive(slurm.state)) {
        running_.push_back(&slurm);
        active_.push_back(&slurm);
      }
    } else {
      End(slurm, tasks.Without(ended_before_));
    }
    if (slurm.state != SlurmState::kPending) Started(slurm);
  }

  Job Result() {
    EndMissingTasks();
    Follow();
    const int64_t ended = AllEnded(array()).size();
    if (ended == array().total && array().pending + array().running == 0) {
      return Over();
    }
    if (!running_.empty()) {
      Run();
    } else if (waiting_ != nullptr && array().running == 0) {
      Wait();
    }
    return std::move(next_);
  }

 private:
  JobArray& array() { return *next_.array; }

  void Started(const SlurmJob& slurm) {
    if (slurm.started_at == absl::InfinitePast() || slurm.nodes.empty()) return;
    if (!next_.started_at || slurm.started_at < *next_.started_at) {
      next_.started_at = slurm.started_at;
    }
  }

  void End(const SlurmJob& slurm, const TaskSet& tasks) {
    if (tasks.empty()) return;
    last_end_ = std::max(last_end_, std::min(slurm.ends_at, seen_.now));
    Job task = before_;
    task.state = v1::JOB_STATE_STARTING;
    task.nodes = slurm.nodes;
    if (slurm.started_at != absl::InfinitePast() && !slurm.nodes.empty()) {
      JobSpec own = before_.spec;
      ApplySlurmSize(slurm.size, &own);
      CountRun(SizedAs(own, slurm.started_at),
               std::min(slurm.ends_at, seen_.now), &next_);
    }
    const uint32_t index = tasks.ranges()[0].first;
    const JobEnding ending = EndingOf(task, slurm);
    array().ended[ending.end].Add(tasks);
    NoteStopper(ending);
    // A task that Slurm stopped has a reason, too.
    const bool is_failure = IsFailure(ending.end);
    if (!array().first_failure.empty() ||
        (!is_failure && ending.reason.empty())) {
      return;
    }
    if (is_failure) next_.exit_code = slurm.exit_code;
    const auto said = end_details_.find(index);
    array().first_failure =
        MakeText(job_state_messages::kTaskFailure,
                 {{"task", index},
                  {"cause", ending.end == v1::JOB_END_FAILED &&
                                    said != end_details_.end()
                                ? said->second
                                : ending.reason}});
  }

  // Prefers the stop of which the user must be notified.
  void NoteStopper(const JobEnding& ending) {
    if (ending.end != v1::JOB_END_STOPPED) return;
    if (!stopped_ || next_.stopped_by == v1::JOB_STOPPED_BY_USER) {
      next_.stopped_by = ending.stopped_by;
    }
    stopped_ = true;
  }

  // Tasks that are missing and whose end was not observed have ended unknown.
  void EndMissingTasks() {
    if (unsure_ || !InSlurm(next_) ||
        seen_.asked_at <= seen_.known_since + kForgottenGrace) {
      return;
    }
    const TaskSet lost = all_.Without(present_).Without(AllEnded(array()));
    if (lost.empty()) return;
    array().ended[v1::JOB_END_UNKNOWN].Add(lost);
    // Usage must not be lost: counts the maximum.
    if (!next_.started_at) return;
    const absl::Time latest =
        std::min(seen_.now, *next_.started_at + next_.spec.walltime);
    for (int64_t i = 0; i < lost.size(); ++i) {
      CountRun(SizedAs(next_.spec, *next_.started_at), latest, &next_);
    }
  }

  // Follows the pending tasks; if there are none, the task with the longest
  // walltime. Tasks can be updated one by one: size and walltime are the
  // maximum of all active tasks.
  void Follow() {
    const SlurmJob* one = waiting_;
    for (const SlurmJob* slurm : running_) {
      if (waiting_ == nullptr &&
          (one == nullptr || WalltimeOf(*slurm) > WalltimeOf(*one))) {
        one = slurm;
      }
    }
    if (one == nullptr) return;
    ApplySlurmSpec(*one, &next_);
    JobSpec& largest = next_.spec;
    next_.places.clear();
    for (const SlurmJob* slurm : active_) {
      JobSpec own = largest;
      ApplySlurmSize(slurm->size, &own);
      largest.nodes = std::max(largest.nodes, own.nodes);
      largest.gpus_per_node =
          std::max(largest.gpus_per_node, own.gpus_per_node);
      largest.cpus_per_node =
          std::max(largest.cpus_per_node, own.cpus_per_node);
      largest.memory_per_node_mib =
          std::max(largest.memory_per_node_mib, own.memory_per_node_mib);
      largest.walltime = std::max(largest.walltime,
                                  slurm->walltime.value_or(largest.walltime));
      if (largest.gpu_type.empty()) largest.gpu_type = own.gpu_type;
      AddPlace(*slurm);
    }
  }

  void AddPlace(const SlurmJob& slurm) {
    Job own = next_;
    ApplySlurmSpec(slurm, &own);
    const SlurmPlace place{.partition = own.spec.partition,
                           .qos = own.spec.qos,
                           .account = own.account};
    std::vector<SlurmPlace>& places = next_.places;
    if (std::find(places.begin(), places.end(), place) == places.end()) {
      places.push_back(place);
    }
  }

  void Run() {
    std::set<std::string> nodes;
    next_.ends_at.reset();
    for (const SlurmJob* slurm : running_) {
      nodes.insert(slurm->nodes.begin(), slurm->nodes.end());
      if (slurm->ends_at == absl::InfiniteFuture()) continue;
      next_.ends_at = std::max(next_.ends_at.value_or(absl::InfinitePast()),
                               slurm->ends_at);
    }
    next_.nodes.assign(nodes.begin(), nodes.end());
    next_.expected_start.reset();
    next_.held = false;
    if (next_.state == v1::JOB_STATE_STOPPING) return;
    next_.state = next_.ready_at ? v1::JOB_STATE_READY : v1::JOB_STATE_STARTING;
    next_.reason.clear();
  }

  void Wait() {
    next_.nodes.clear();
    next_.ends_at.reset();
    // The poll may be older than the cancellation.
    if (next_.state == v1::JOB_STATE_STOPPING) return;
    next_.state = v1::JOB_STATE_PENDING;
    next_.held = waiting_->held && waiting_->reason == "JobHeldUser";
    next_.reason = PendingReason(*waiting_, next_.spec, seen_.cluster);
    next_.expected_start.reset();
    if (waiting_->expected_start > seen_.now + absl::Minutes(1)) {
      next_.expected_start = waiting_->expected_start;
    }
  }

  Job Over() {
    JobEnd end = v1::JOB_END_COMPLETED;
    std::set<JobEnd> failures;
    int64_t failed = 0;
    for (const auto& [how, tasks] : array().ended) {
      if (!IsFailure(how)) continue;
      failures.insert(how);
      failed += tasks.size();
    }
    const int64_t stopped = CountOf(array(), v1::JOB_END_STOPPED);
    const int64_t unknown = CountOf(array(), v1::JOB_END_UNKNOWN);
    if (failed > 0) {
      end = failures.size() == 1 ? *failures.begin() : v1::JOB_END_FAILED;
    } else if (unknown > 0) {
      end = v1::JOB_END_UNKNOWN;
    } else if (stopped > 0) {
      end = v1::JOB_END_STOPPED;
    }
    std::vector<DisplayText> sentences;
    if (end == v1::JOB_END_STOPPED && !before_.reason.empty() &&
        before_.stopped_by == v1::JOB_STOPPED_BY_CARME) {
      sentences.push_back(before_.reason);
    }
    const auto add = [&](const TextTemplate& sentence, int64_t tasks) {
      sentences.push_back(
          MakeText(sentence, {{"tasks", tasks}, {"total", array().total}}));
    };
    if (failed > 0) add(job_state_messages::kTasksFailed, failed);
    // The user knows about their own stop; mentioned only with other results.
    if (stopped > 0 &&
        (end != v1::JOB_END_STOPPED || !array().first_failure.empty())) {
      add(job_state_messages::kTasksStopped, stopped);
    }
    if (unknown > 0) add(job_state_messages::kTasksRemoved, unknown);
    if (!array().first_failure.empty()) {
      sentences.push_back(array().first_failure);
    }
    next_.places.clear();
    absl::Time when = last_end_;
    if (when < next_.created_at) when = seen_.now;
    return Ended(std::move(next_), end, JoinTexts(sentences), when);
  }

  const Job& before_;
  Job next_;
  const TaskSet all_;
  const Observation& seen_;
  const TaskEndDetails& end_details_;
  TaskSet ended_before_;
  TaskSet present_;
  std::vector<const SlurmJob*> running_;
  std::vector<const SlurmJob*> active_;  // running and pending
  const SlurmJob* waiting_ = nullptr;
  absl::Time last_end_ = absl::InfinitePast();
  bool unsure_ = false;   // a record could not be parsed
  bool stopped_ = false;  // a task was stopped
};

}  // namespace

std::optional<JobArray> NewArray(const JobSpec& spec) {
  if (!spec.batch || spec.batch->array.empty()) return std::nullopt;
  JobArray array;
  array.total = array.pending = TaskCount(spec.batch->array);
  return array;
}

Job NextArrayState(const Job& job, const std::vector<const SlurmJob*>& records,
                   const Observation& observation,
                   const TaskEndDetails& end_details) {
  if (HasEnded(job)) return job;
  const absl::StatusOr<ArrayShape> shape =
      ParseArray(job.spec.batch ? job.spec.batch->array : "");
  // The policy rejects invalid arrays; an unparsable one is left unchanged.
  if (!shape.ok()) return job;
  if (records.empty() && !InSlurm(job)) return Next(job, observation);
  Job known = job;
  if (!InSlurm(known)) known.slurm_id = SubmittedJobId(*records[0]);
  for (const SlurmJob* slurm : records) RecordSubmitTime(*slurm, &known);
  ArrayTransition transition(known, shape->tasks, observation, end_details);
  for (const SlurmJob* slurm : records) transition.At(*slurm);
  return transition.Result();
}

std::optional<uint32_t> FirstFailedTask(const JobArray& array) {
  absl::string_view text = array.first_failure.text;
  uint32_t task = 0;
  if (!absl::ConsumePrefix(&text, kFailurePrefix) ||
      !absl::SimpleAtoi(text.substr(0, text.find(':')), &task)) {
    return std::nullopt;
  }
  return task;
}

std::string SerializeArray(const std::optional<JobArray>& array) {
  if (!array) return "";
  std::string text =
      absl::StrCat(array->total, " ", array->pending, " ", array->running);
  for (const auto& [end, tasks] : array->ended) {
    absl::StrAppend(&text, "\n", static_cast<int>(end), " ", tasks.ToString());
  }
  if (!array->first_failure.empty()) {
    absl::StrAppend(&text, "\n", array->first_failure.text);
    if (const std::string code = SerializeTextCode(array->first_failure);
        !code.empty()) {
      absl::StrAppend(&text, "\n", kCodePrefix, Base64UrlEncode(code));
    }
  }
  return text;
}

absl::StatusOr<std::optional<JobArray>> ParseJobArray(std::string_view text) {
  const absl::Status wrong =
      absl::InternalError("a job's tasks in the table cannot be read");
  if (text.empty()) return std::nullopt;
  JobArray array;
  bool first = true;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (absl::StartsWith(line, kFailurePrefix)) {
      array.first_failure = std::string(line);
      continue;
    }
    if (absl::string_view code = line;
        absl::ConsumePrefix(&code, kCodePrefix)) {
      array.first_failure =
          ParseDisplayText(std::move(array.first_failure.text),
                           Base64UrlDecode(std::string(code)).value_or(""));
      continue;
    }
    const std::vector<std::string> columns = absl::StrSplit(line, ' ');
    int end = 0;
    if (std::exchange(first, false)) {
      if (columns.size() != 3 || !absl::SimpleAtoi(columns[0], &array.total) ||
          !absl::SimpleAtoi(columns[1], &array.pending) ||
          !absl::SimpleAtoi(columns[2], &array.running)) {
        return wrong;
      }
      continue;
    }
    if (columns.size() != 2 || !absl::SimpleAtoi(columns[0], &end))
      return wrong;
    absl::StatusOr<TaskSet> tasks = TaskSet::Parse(columns[1]);
    if (!tasks.ok()) return wrong;
    array.ended[static_cast<JobEnd>(end)] = *std::move(tasks);
  }
  return array;
}

}  // namespace carme::backend
