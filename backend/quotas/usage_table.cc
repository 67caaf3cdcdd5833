#include "backend/quotas/usage_table.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/quotas/uid_column.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kDaysKept = 62;  // more than this month and the last

// Never negative.
int64_t Micros(absl::Duration duration) {
  return std::max<int64_t>(0, absl::ToInt64Microseconds(duration));
}

// Adds to the day of the user, with or without a project, and to that of the
// project.
absl::Status AddToDay(Database& db, const JobUsage& usage, int64_t day,
                      int64_t jobs, int64_t gpu_time) {
  for (const int64_t uid : {UidColumnOf(usage.uid), kNoUidColumn}) {
    if (uid == kNoUidColumn && usage.project.empty()) continue;
    ASSIGN_OR_RETURN(
        Statement add,
        db.Prepare(
            "INSERT INTO usage_days (uid, project, day, jobs, gpu_time) "
            "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (uid, project, day) "
            "DO UPDATE SET jobs = max(0, jobs + ?4), "
            "gpu_time = gpu_time + ?5"));
    RETURN_IF_ERROR(add.Bind(1, uid)
                        .Bind(2, usage.project)
                        .Bind(3, day)
                        .Bind(4, jobs)
                        .Bind(5, gpu_time)
                        .Run());
  }
  return absl::OkStatus();
}

// For an array with unfinished tasks, this is the maximum that its tasks can
// have used.
absl::Duration SpentBy(const JobUse& use, absl::Duration since) {
  if (use.tasks <= 1) return since * use.gpus;
  return std::min(use.walltime * use.tasks, since * use.at_once) * use.gpus;
}

// The usage of a running job in the time `since` its start. For an array only
// the usage of ended tasks is known.
absl::Duration SpentNow(const JobUsage& usage, absl::Duration since) {
  if (usage.use.tasks > 1) return usage.spent;
  return usage.spent + SpentBy(usage.use, since);
}

// Each day between start and end gets its share of the job's usage. The times
// of array tasks and of runs before a requeue are not kept, so their usage
// counts for the day of the end.
absl::Status Spread(Database& db, const JobUsage& usage) {
  if (usage.spent > absl::ZeroDuration()) {
    RETURN_IF_ERROR(AddToDay(
        db, usage, DayNumber(std::max(usage.created_at, *usage.ended_at)), 0,
        Micros(usage.spent)));
  }
  if (!usage.started_at || usage.use.gpus == 0 || usage.use.tasks > 1) {
    return absl::OkStatus();
  }
  // A start before the job's creation comes from a clock that differs.
  const absl::Time begin = std::max(*usage.started_at, usage.created_at);
  const absl::Time end = std::max(begin, *usage.ended_at);
  for (absl::Time at = begin; at < end;) {
    const Window day = DayOf(at);
    const absl::Duration part = std::min(day.end, end) - at;
    RETURN_IF_ERROR(
        AddToDay(db, usage, DayNumber(at), 0, Micros(part * usage.use.gpus)));
    at = day.end;
  }
  return absl::OkStatus();
}

// The usage that a running job adds to a window.
void AddWindow(const JobUsage& usage, std::optional<absl::Time> end,
               const Window& window, absl::Time now, WindowUse* sum) {
  const JobUse& use = usage.use;
  const absl::Duration length = window.end - window.begin;
  const absl::Duration left = window.end - now;
  absl::Duration past;
  if (usage.started_at) {
    past = std::max(absl::ZeroDuration(),
                    now - std::max(*usage.started_at, window.begin));
  }
  sum->spent += SpentNow(usage, past);
  if (use.tasks > 1) {
    sum->now += SpentBy(use, past + left);
    sum->ahead += SpentBy(use, length);
    return;
  }
  const absl::Duration rest =
      end ? std::max(absl::ZeroDuration(), *end - now) : use.walltime;
  const absl::Duration after =
      end ? std::max(absl::ZeroDuration(), *end - window.end) : use.walltime;
  sum->now += usage.spent + (past + std::min(rest, left)) * use.gpus;
  sum->ahead += std::min(after, length) * use.gpus;
}

}  // namespace

int64_t DayNumber(absl::Time time) {
  return absl::ToCivilDay(time, absl::UTCTimeZone()) - absl::CivilDay(1970);
}

void AddLiveUsage(const JobUsage& usage,
                  const std::optional<absl::Time>& promised_until,
                  absl::Time now, QuotaUsage* sum) {
  const JobUse& use = usage.use;
  sum->gpus += use.gpus * use.at_once;
  sum->nodes += use.nodes * use.at_once;
  sum->jobs += use.at_once;
  // The pending tasks of a started array are not known here.
  if (!usage.started_at || use.tasks > 1) sum->queued += use.tasks;
  std::optional<absl::Time> end;
  if (usage.started_at) {
    end = usage.ends_at.value_or(*usage.started_at + use.walltime);
    if (promised_until) end = std::max(*end, *promised_until);
  }
  AddWindow(usage, end, DayOf(now), now, &sum->day);
  AddWindow(usage, end, MonthOf(now), now, &sum->month);
  if (use.tasks > 1) {
    sum->ever += std::max(usage.spent, use.walltime * use.tasks * use.gpus);
  } else if (end) {
    sum->ever +=
        usage.spent + (std::max(*end, now) - *usage.started_at) * use.gpus;
  } else {
    sum->ever += usage.spent + use.walltime * use.gpus;
  }
  sum->ever_spent += SpentNow(
      usage, usage.started_at
                 ? std::max(absl::ZeroDuration(), now - *usage.started_at)
                 : absl::ZeroDuration());
}

namespace {

// A row of live_usage.
struct LiveUsage {
  JobUsage usage;
  std::optional<absl::Time> promised_until{};
};

// Negative durations are stored as 0.
template <typename Access>
Column<LiveUsage> MicrosColumn(const char* name, Access access) {
  return ConvertedColumn<LiveUsage, int64_t>(
      name,
      [access](const LiveUsage& row) {
        return Micros(std::invoke(access, row));
      },
      [access](int64_t micros, LiveUsage* row) {
        std::invoke(access, *row) = absl::Microseconds(micros);
      });
}

template <typename T>
auto UsageMember(T JobUsage::*member) {
  return Member(&LiveUsage::usage, member);
}
template <typename T>
auto UseMember(T JobUse::*member) {
  return Member(UsageMember(&JobUsage::use), member);
}

const RowMapper<LiveUsage>& LiveColumns() {
  static const auto* const columns = new RowMapper<LiveUsage>({
      {"job", UsageMember(&JobUsage::job)},
      UidColumn<LiveUsage>("uid", UsageMember(&JobUsage::uid)),
      {"project", UsageMember(&JobUsage::project)},
      {"tasks", UseMember(&JobUse::tasks)},
      {"at_once", UseMember(&JobUse::at_once)},
      {"gpus", UseMember(&JobUse::gpus)},
      {"nodes", UseMember(&JobUse::nodes)},
      MicrosColumn("walltime", UseMember(&JobUse::walltime)),
      {"started_at", UsageMember(&JobUsage::started_at)},
      {"ends_at", UsageMember(&JobUsage::ends_at)},
      {"promised_until", &LiveUsage::promised_until},
      MicrosColumn("spent", UsageMember(&JobUsage::spent)),
  });
  return *columns;
}

std::string SelectLive(std::string_view condition) {
  return absl::StrCat("SELECT ", LiveColumns().list(),
                      " FROM live_usage WHERE ", std::string(condition));
}

absl::Status AddDays(Database& db, Uid uid, const std::string& project,
                     absl::Time now, QuotaUsage* sum) {
  const bool of_person = project.empty();
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(absl::StrCat("SELECT coalesce(sum(gpu_time), 0), "
                              "coalesce(sum(iif(day >= ?2, gpu_time, 0)), 0), "
                              "coalesce(sum(iif(day = ?3, gpu_time, 0)), 0), "
                              "coalesce(sum(iif(day = ?3, jobs, 0)), 0) "
                              "FROM usage_days WHERE uid = ?1",
                              of_person ? "" : " AND project = ?4")));
  row.Bind(1, UidColumnOf(uid))
      .Bind(2, DayNumber(MonthOf(now).begin))
      .Bind(3, DayNumber(now));
  if (!of_person) row.Bind(4, project);
  RETURN_IF_ERROR(row.Step().status());
  const auto time = [&](int column) {
    return absl::Microseconds(row.Int(column));
  };
  sum->ever += time(0);
  sum->ever_spent += time(0);
  for (const auto& [window, column] :
       {std::pair{&sum->month, 1}, std::pair{&sum->day, 2}}) {
    window->now += time(column);
    window->spent += time(column);
  }
  sum->jobs_today += row.Int(3);
  return absl::OkStatus();
}

}  // namespace

absl::Status BeginUsage(Database& db, const JobUsage& usage) {
  static const RowMapper<LiveUsage> inserted =
      LiveColumns().Only({"job", "uid", "project", "tasks", "at_once", "gpus",
                          "nodes", "walltime"});
  ASSIGN_OR_RETURN(Statement insert,
                   db.Prepare(absl::StrCat("INSERT INTO live_usage (",
                                           inserted.list(), ", day) VALUES (",
                                           inserted.parameters(), ", ?)")));
  const int64_t day = DayNumber(usage.created_at);
  const int next = inserted.Bind(insert, {.usage = usage});
  RETURN_IF_ERROR(insert.Bind(next, day).Run());
  return AddToDay(db, usage, day, usage.use.tasks, 0);
}

absl::Status FollowUsage(Database& db, const JobUsage& usage) {
  if (!usage.ended_at) {
    static const RowMapper<LiveUsage> changed =
        LiveColumns().Only({"started_at", "ends_at", "walltime", "gpus",
                            "nodes", "at_once", "spent"});
    ASSIGN_OR_RETURN(
        Statement update,
        db.Prepare(absl::StrCat("UPDATE live_usage SET ", changed.assignments(),
                                " WHERE job = ?")));
    const int next = changed.Bind(update, {.usage = usage});
    return update.Bind(next, usage.job.value()).Run();
  }
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM live_usage WHERE job = ?"));
  RETURN_IF_ERROR(remove.Bind(1, usage.job.value()).Run());
  if (db.Changes() == 0) return absl::OkStatus();
  if (usage.was_submitted) return Spread(db, usage);
  return AddToDay(db, usage, DayNumber(usage.created_at), -usage.use.tasks, 0);
}

absl::StatusOr<QuotaUsage> ReadUsage(Database& db, Uid uid,
                                     const std::string& project, absl::Time now,
                                     const JobId& without) {
  QuotaUsage sum;
  const bool all_of_project = uid == kNoUid;
  if (all_of_project && project.empty()) return sum;
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(SelectLive(all_of_project    ? "project = ?2 AND project <> ''"
                            : project.empty() ? "uid = ?1"
                                              : "uid = ?1 AND project = ?2")));
  if (!all_of_project) rows.Bind(1, UidColumnOf(uid));
  if (all_of_project || !project.empty()) rows.Bind(2, project);
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    ASSIGN_OR_RETURN(const LiveUsage row, LiveColumns().Read(rows));
    if (row.usage.job != without) {
      AddLiveUsage(row.usage, row.promised_until, now, &sum);
    }
  }
  RETURN_IF_ERROR(AddDays(db, uid, project, now, &sum));
  return sum;
}

absl::StatusOr<std::map<int64_t, UsageDay>> ReadUsageDays(
    Database& db, Uid uid, const std::string& project) {
  const bool of_person = project.empty();
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT day, sum(jobs), sum(gpu_time) FROM usage_days WHERE uid = ?1",
          of_person ? "" : " AND project = ?2", " GROUP BY day")));
  rows.Bind(1, UidColumnOf(uid));
  if (!of_person) rows.Bind(2, project);
  std::map<int64_t, UsageDay> days;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, rows.Step());
    if (!found) return days;
    days[rows.Int(0)] = {.jobs = rows.Int(1),
                         .gpu_time = absl::Microseconds(rows.Int(2))};
  }
}

absl::StatusOr<std::optional<JobUsage>> FindUsage(Database& db,
                                                  const JobId& job) {
  ASSIGN_OR_RETURN(Statement rows, db.Prepare(SelectLive("job = ?")));
  rows.Bind(1, job.value());
  ASSIGN_OR_RETURN(std::optional<LiveUsage> row, LiveColumns().ReadFirst(rows));
  if (!row) return std::nullopt;
  JobUsage usage = std::move(row->usage);
  if (row->promised_until && usage.ends_at) {
    usage.ends_at = std::max(*usage.ends_at, *row->promised_until);
  }
  return usage;
}

absl::Status PromiseUsage(Database& db, const JobId& job,
                          std::optional<absl::Time> until) {
  ASSIGN_OR_RETURN(
      Statement update,
      db.Prepare("UPDATE live_usage SET promised_until = ? WHERE job = ?"));
  BindColumn(update, 1, until);
  return update.Bind(2, job.value()).Run();
}

absl::Status FoldUsage(Database& db, absl::Time now) {
  const int64_t before = DayNumber(now) - kDaysKept;
  ASSIGN_OR_RETURN(
      Statement add,
      db.Prepare("INSERT INTO usage_days (uid, project, day, jobs, gpu_time) "
                 "SELECT uid, project, 0, 0, sum(gpu_time) FROM usage_days "
                 "WHERE day > 0 AND day < ?1 GROUP BY uid, project "
                 "ON CONFLICT (uid, project, day) DO UPDATE SET "
                 "gpu_time = gpu_time + excluded.gpu_time"));
  RETURN_IF_ERROR(add.Bind(1, before).Run());
  ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare("DELETE FROM usage_days WHERE (day > 0 AND day < ?1) OR "
                 "(uid = -1 AND project NOT IN (SELECT id FROM projects) AND "
                 "project NOT IN (SELECT project FROM live_usage))"));
  return remove.Bind(1, before).Run();
}

}  // namespace carme::backend
