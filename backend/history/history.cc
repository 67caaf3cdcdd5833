#include "backend/history/history.h"

#include <algorithm>
#include <utility>

#include "backend/history/accounting_match.h"
#include "backend/history/history_table.h"
#include "backend/history/messages.h"
#include "backend/jobs/state/job_state_machine.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kAskedAtOnce = 200;
constexpr absl::Duration kAfterSilence = absl::Minutes(1);
constexpr absl::Duration kAskedEvery = absl::Minutes(1);
// The time after which slurmdbd has a job that has ended.
constexpr absl::Duration kAccountingDelay = absl::Minutes(2);
constexpr size_t kLongestSearch = 100;  // characters
constexpr size_t kMaxEnds = 16;

HistoryReader ReaderOf(const Session& caller) {
  return {.uid = caller.uid, .username = caller.username};
}

bool SeesAll(Role role) {
  return role == Role::kSupport || role == Role::kAdmin;
}

absl::Status CheckFilter(const HistoryFilter& filter) {
  const std::optional<size_t> length = PrintableLength(filter.search);
  if (!length || *length > kLongestSearch) {
    return MakeError(history_messages::kSearchInvalid);
  }
  if (filter.ends.size() > kMaxEnds) {
    return MakeError(history_messages::kTooManyEnds);
  }
  if (filter.from && filter.to && *filter.from >= *filter.to) {
    return MakeError(history_messages::kPeriodInvalid);
  }
  return absl::OkStatus();
}

std::string KeyOf(const Job& job, UsageBy by) {
  switch (by) {
    case v1::USAGE_BY_PROJECT:
      return job.spec.project;
    case v1::USAGE_BY_GPU_TYPE:
      return job.spec.gpus_per_node > 0 ? job.spec.gpu_type : "";
    default:
      return job.owner;
  }
}

}  // namespace

History::History(const Parts& parts, const HistoryConfig& config)
    : parts_(parts), config_(config) {
  if (parts_.accounting != nullptr && parts_.accounting->IsConfigured()) {
    health_.state = v1::Accounting::STATE_UNKNOWN;
  }
}

absl::Status History::CheckReader(const Session& caller, Whose whose,
                                  const std::string& project) const {
  switch (whose) {
    case v1::HISTORY_SCOPE_MINE:
      return absl::OkStatus();
    case v1::HISTORY_SCOPE_EVERYBODY:
      if (SeesAll(caller.role)) return absl::OkStatus();
      return MakeError(history_messages::kAllJobsDenied);
    case v1::HISTORY_SCOPE_PROJECT:
      break;
    default:
      return MakeError(history_messages::kScopeInvalid);
  }
  if (project.empty()) {
    return MakeError(history_messages::kProjectRequired);
  }
  if (SeesAll(caller.role)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                   parts_.projects->RowsOf(caller.uid, false));
  const bool manages =
      std::any_of(rows.begin(), rows.end(), [&](const ProjectRow& row) {
        return row.project.id.value() == project && Manages(row.project_role);
      });
  if (manages) return absl::OkStatus();
  return MakeError(history_messages::kProjectNotManaged);
}

absl::StatusOr<HistoryPage> History::Page(
    const Session& caller, const HistoryFilter& filter, int max,
    const std::optional<HistoryPlace>& from) {
  RETURN_IF_ERROR(CheckReader(caller, filter.whose, filter.project));
  RETURN_IF_ERROR(CheckFilter(filter));
  HistoryPage page;
  RETURN_IF_ERROR(parts_.reading->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(page, ReadHistory(db, ReaderOf(caller), filter,
                                       std::clamp(max, 1, kLargestPage), from));
    return absl::OkStatus();
  }));
  return page;
}

absl::StatusOr<std::vector<HistoryEntry>> History::Find(
    const std::vector<JobId>& ids) const {
  std::vector<HistoryEntry> entries;
  if (ids.empty()) return entries;
  RETURN_IF_ERROR(parts_.reading->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(entries, ReadHistoryEntries(db, ids));
    return absl::OkStatus();
  }));
  return entries;
}

absl::StatusOr<std::vector<UsageSum>> History::Usage(const Session& caller,
                                                     const UsageQuery& query) {
  RETURN_IF_ERROR(CheckReader(caller, query.whose, query.project));
  if (query.from >= query.to) {
    return MakeError(history_messages::kPeriodInvalid);
  }
  std::vector<UsageSum> sums;
  RETURN_IF_ERROR(parts_.reading->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(sums, ReadUsage(db, ReaderOf(caller), query));
    return absl::OkStatus();
  }));
  AddRunning(caller, query, &sums);
  std::sort(sums.begin(), sums.end(), [](const UsageSum& a, const UsageSum& b) {
    if (a.gpu_seconds != b.gpu_seconds) return a.gpu_seconds > b.gpu_seconds;
    if (a.cpu_seconds != b.cpu_seconds) return a.cpu_seconds > b.cpu_seconds;
    return a.key < b.key;
  });
  if (sums.size() > kMaxSums) sums.resize(kMaxSums);
  return sums;
}

absl::StatusOr<std::vector<UsageQuery>> History::UsageSteps(
    const UsageQuery& whole, const std::vector<absl::Time>& starts) {
  if (starts.size() > kMaxUsageSteps) {
    return MakeError(history_messages::kTooManySteps,
                     {{"count", starts.size()}, {"max", kMaxUsageSteps}});
  }
  std::vector<UsageQuery> steps;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < whole.from || (i > 0 && starts[i] <= starts[i - 1])) {
      return MakeError(history_messages::kStepsInvalid);
    }
    UsageQuery step = whole;
    step.from = std::min(starts[i], whole.to);
    step.to =
        i + 1 < starts.size() ? std::min(starts[i + 1], whole.to) : whole.to;
    steps.push_back(std::move(step));
  }
  return steps;
}

void History::AddRunning(const Session& caller, const UsageQuery& query,
                         std::vector<UsageSum>* sums) const {
  const absl::Time until = std::min(query.to, parts_.clock->Now());
  for (const Job& job : parts_.active->All()) {
    // The end of an ended job is being written to the table.
    if (HasEnded(job) || !job.started_at || *job.started_at >= until) continue;
    if (query.whose == v1::HISTORY_SCOPE_MINE &&
        (job.owner_uid != caller.uid || job.owner != caller.username)) {
      continue;
    }
    if (!query.project.empty() && job.spec.project != query.project) {
      continue;
    }
    const std::string key = KeyOf(job, query.by);
    auto sum = std::find_if(sums->begin(), sums->end(),
                            [&](const UsageSum& s) { return s.key == key; });
    if (sum == sums->end()) sum = sums->insert(sum, UsageSum{.key = key});
    ++sum->jobs;
    sum->gpu_seconds += absl::ToDoubleSeconds(job.spent.gpus);
    sum->cpu_seconds += absl::ToDoubleSeconds(job.spent.cpus);
    if (IsArray(job)) continue;  // of tasks that run only the number is kept
    const JobSized run = *CurrentRunOf(job);
    const double seconds = absl::ToDoubleSeconds(std::max(
        absl::ZeroDuration(), until - std::max(run.since, query.from)));
    sum->gpu_seconds += seconds * static_cast<double>(run.gpus);
    sum->cpu_seconds += seconds * static_cast<double>(run.cpus);
  }
}

void History::Account() {
  if (parts_.accounting == nullptr || !parts_.accounting->IsConfigured())
    return;
  const absl::Time now = parts_.clock->Now();
  if (now < ask_again_) return;
  std::vector<HistoryEntry> entries;
  const absl::Status read =
      parts_.reading->Query([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(entries, ReadUnaccounted(db, now, kAskedAtOnce));
        return absl::OkStatus();
      });
  if (!read.ok() || (entries.empty() && !IsStale(now))) return;
  std::vector<SlurmJobId> ids;
  for (const HistoryEntry& entry : entries) ids.push_back(entry.slurm_id);
  const absl::StatusOr<std::vector<AccountedRun>> runs =
      parts_.accounting->LoadRuns(ids);
  if (!runs.ok()) {
    ask_again_ = parts_.clock->Now() + kAfterSilence;
    SetState(v1::Accounting::STATE_UNAVAILABLE,
             std::string(runs.status().message()));
    return;
  }
  const bool long_over =
      std::any_of(entries.begin(), entries.end(), [&](const HistoryEntry& e) {
        return e.started_at && e.ended_at < now - kAccountingDelay;
      });
  if (runs->empty() && long_over) {
    SetState(v1::Accounting::STATE_HIDDEN,
             "it shows none of the jobs: PrivateData in slurmdbd.conf?");
  } else if (!runs->empty() ||
             accounting().state != v1::Accounting::STATE_HIDDEN) {
    SetState(v1::Accounting::STATE_AVAILABLE, "");
  } else {
    SetState(v1::Accounting::STATE_HIDDEN, "");
  }
  if (const absl::Status done = Match(entries, *runs); !done.ok()) {
    LogError("writing accounting failed", {{"error", StatusText(done)}});
  }
}

absl::Status History::Match(const std::vector<HistoryEntry>& entries,
                            const std::vector<AccountedRun>& runs) {
  if (entries.empty()) return absl::OkStatus();
  const absl::Time now = parts_.clock->Now();
  return parts_.database->Transact([&](Database& db) -> absl::Status {
    for (const HistoryEntry& entry : entries) {
      const std::optional<HistoryEntry> known = Accounted(entry, runs, now);
      RETURN_IF_ERROR(known ? WriteAccounted(db, *known, now)
                            : RecordUnaccounted(db, entry.id, now));
    }
    return absl::OkStatus();
  });
}

void History::SetState(v1::Accounting::State state, std::string_view why) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = parts_.clock->Now();
  health_.asked_at = now;
  if (health_.state == state) return;
  health_ = {.state = state, .since = now, .asked_at = now};
  if (state == v1::Accounting::STATE_AVAILABLE) {
    LogInfo("slurmdbd responds");
  } else {
    LogWarning("slurmdbd is unusable", {{"error", why}});
  }
}

bool History::IsStale(absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  return !health_.asked_at || now - *health_.asked_at >= kAskedEvery;
}

History::Health History::accounting() const {
  absl::MutexLock lock(&mutex_);
  return health_;
}

void History::Sweep() {
  int64_t forgotten = 0;
  const absl::Status done =
      parts_.database->Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(
            forgotten,
            DeleteHistory(
                db,
                parts_.clock->Now() - absl::Hours(24) * config_.retention_days,
                config_.retention_jobs));
        return absl::OkStatus();
      });
  if (!done.ok()) {
    LogError("deleting old history failed", {{"error", StatusText(done)}});
  } else if (forgotten > 0) {
    LogInfo("old history deleted", {{"jobs", forgotten}});
  }
}

}  // namespace carme::backend
