#include "backend/history/history_table.h"

#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/store/row_mapper.h"
#include "backend/store/text_code_column.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kAskedFor = absl::Hours(24 * 7);

// The conditions of a query with their parameters, in order.
class Conditions {
 public:
  using Value = std::variant<int64_t, std::string>;
  void Add(absl::string_view condition, std::vector<Value> values) {
    absl::StrAppend(&text_, text_.empty() ? "" : " AND ", condition);
    for (Value& value : values) values_.push_back(std::move(value));
  }
  const std::string& text() const { return text_; }
  // The first parameter gets the number `next`; gives the one after the last.
  int BindTo(Statement& statement, int next) const {
    for (const Value& value : values_) {
      if (const auto* number = std::get_if<int64_t>(&value)) {
        statement.Bind(next++, *number);
      } else {
        statement.Bind(next++, std::get<std::string>(value));
      }
    }
    return next;
  }

 private:
  std::string text_;
  std::vector<Value> values_;
};

std::string Containing(const std::string& text) {
  return absl::StrCat(
      "%",
      absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"%", "\\%"}, {"_", "\\_"}}),
      "%");
}

void AddWhose(Whose whose, const HistoryReader& mine,
              const std::string& project, Conditions* conditions) {
  if (whose == v1::HISTORY_SCOPE_MINE) {
    conditions->Add("owner_uid = ? AND owner = ?",
                    {int64_t{mine.uid.value()}, mine.username});
  }
  if (!project.empty()) {
    // The second half lets the index of projects be used.
    conditions->Add("project = ? AND project <> ''", {project});
  }
}

Conditions ConditionsOf(const HistoryReader& mine,
                        const HistoryFilter& filter) {
  Conditions conditions;
  conditions.Add("ended_at >= ?",
                 {absl::ToUnixMicros(filter.from.value_or(absl::UnixEpoch()))});
  AddWhose(filter.whose, mine, filter.project, &conditions);
  if (!filter.username.empty()) conditions.Add("owner = ?", {filter.username});
  if (!filter.search.empty()) {
    const std::string text = Containing(filter.search);
    conditions.Add(
        "(name LIKE ? ESCAPE '\\' OR reason LIKE ? ESCAPE '\\' "
        "OR id LIKE ? ESCAPE '\\' OR slurm_job_id LIKE ? ESCAPE '\\')",
        {text, text, text, text});
  }
  if (!filter.ends.empty()) {
    conditions.Add(absl::StrCat("ending IN (",
                                absl::StrJoin(filter.ends, ",",
                                              [](std::string* out, JobEnd end) {
                                                absl::StrAppend(
                                                    out, static_cast<int>(end));
                                              }),
                                ")"),
                   {});
  }
  if (!filter.gpu_type.empty()) {
    conditions.Add("instr(',' || gpu_type || ',', ',' || ? || ',') > 0",
                   {filter.gpu_type});
  }
  if (filter.to) {
    conditions.Add("ended_at < ?", {absl::ToUnixMicros(*filter.to)});
  }
  return conditions;
}

const RowMapper<HistoryEntry>& EntryColumns() {
  static const auto* const columns = new RowMapper<HistoryEntry>({
      {"id", &HistoryEntry::id},
      {"owner", &HistoryEntry::owner},
      {"owner_uid", &HistoryEntry::owner_uid},
      ConvertedColumn<HistoryEntry, Blob>(
          "spec",
          [](const HistoryEntry& entry) {
            return Blob{SerializeSpec(entry.spec)};
          },
          [](const Blob& blob, HistoryEntry* entry) -> absl::Status {
            ASSIGN_OR_RETURN(entry->spec, ParseSpec(blob.bytes));
            return absl::OkStatus();
          }),
      {"ending", &HistoryEntry::end},
      {"reason", Member(&HistoryEntry::reason, &DisplayText::text)},
      TextCodeColumn("reason_code", &HistoryEntry::reason),
      {"exit_code", &HistoryEntry::exit_code},
      {"slurm_job_id", &HistoryEntry::slurm_id},
      ListColumn<HistoryEntry>("nodes", &HistoryEntry::nodes, ','),
      {"created_at", &HistoryEntry::created_at},
      {"started_at", &HistoryEntry::started_at},
      {"ended_at", &HistoryEntry::ended_at},
      {"gpu_type", &HistoryEntry::gpu_type},
      {"gpus", &HistoryEntry::gpus},
      {"gpu_seconds", &HistoryEntry::gpu_seconds},
      {"cpu_seconds", &HistoryEntry::cpu_seconds},
      {"accounted_at IS NOT NULL", &HistoryEntry::accounted},
      {"account", &HistoryEntry::account},
      {"slurm_submitted_at", &HistoryEntry::slurm_submitted_at},
  });
  return *columns;
}

// A sum in whole seconds.
Column<UsageSum> SecondsColumn(absl::string_view sum,
                               double UsageSum::*member) {
  return ConvertedColumn<UsageSum, int64_t>(
      absl::StrCat("CAST(round(", sum, ") AS INTEGER)"),
      [member](const UsageSum& row) { return std::llround(row.*member); },
      [member](int64_t seconds, UsageSum* row) {
        row->*member = static_cast<double>(seconds);
      });
}

// Of the sub-query in ReadUsage().
const RowMapper<UsageSum>& SumColumns() {
  static const auto* const columns = new RowMapper<UsageSum>({
      {"key", &UsageSum::key},
      {"count(*)", &UsageSum::jobs},
      SecondsColumn("sum(gpu_seconds * share)", &UsageSum::gpu_seconds),
      SecondsColumn("sum(cpu_seconds * share)", &UsageSum::cpu_seconds),
      {"sum(accounted)", &UsageSum::accounted_jobs},
  });
  return *columns;
}

const char* ColumnOf(UsageBy by) {
  switch (by) {
    case v1::USAGE_BY_PROJECT:
      return "project";
    case v1::USAGE_BY_GPU_TYPE:
      return "gpu_type";
    default:
      return "owner";
  }
}

}  // namespace

absl::StatusOr<HistoryPage> ReadHistory(
    Database& db, const HistoryReader& mine, const HistoryFilter& filter,
    int max, const std::optional<HistoryPlace>& from) {
  Conditions conditions = ConditionsOf(mine, filter);
  if (from) {
    conditions.Add("(ended_at, id) < (?, ?)",
                   {absl::ToUnixMicros(from->ended_at), from->id.value()});
  }
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat("SELECT ", EntryColumns().list(),
                              " FROM history WHERE ", conditions.text(),
                              " ORDER BY ended_at DESC, id DESC LIMIT ?")));
  const int next = conditions.BindTo(rows, 1);
  rows.Bind(next, int64_t{max} + 1);
  HistoryPage page;
  ASSIGN_OR_RETURN(page.entries, EntryColumns().ReadAll(rows));
  if (page.entries.size() > static_cast<size_t>(max)) {
    page.entries.pop_back();
    page.next = {page.entries.back().ended_at, page.entries.back().id};
  }
  return page;
}

absl::StatusOr<std::vector<HistoryEntry>> ReadHistoryEntries(
    Database& db, const std::vector<JobId>& ids) {
  const std::vector<std::string> places(ids.size(), "?");
  ASSIGN_OR_RETURN(Statement rows,
                   db.Prepare(absl::StrCat("SELECT ", EntryColumns().list(),
                                           " FROM history WHERE id IN (",
                                           absl::StrJoin(places, ","), ")")));
  int next = 1;
  for (const JobId& id : ids) rows.Bind(next++, id.value());
  return EntryColumns().ReadAll(rows);
}

absl::StatusOr<std::vector<UsageSum>> ReadUsage(Database& db,
                                                const HistoryReader& mine,
                                                const UsageQuery& query) {
  const int64_t from = absl::ToUnixMicros(query.from);
  const int64_t to = absl::ToUnixMicros(query.to);
  Conditions conditions;
  conditions.Add("ended_at > ? AND started_at < ?", {from, to});
  AddWhose(query.whose, mine, query.project, &conditions);
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT ", SumColumns().list(), " FROM (SELECT ", ColumnOf(query.by),
          " AS key, gpu_seconds, cpu_seconds, accounted_at IS NOT NULL AS "
          "accounted, (min(ended_at, ?) - max(started_at, ?)) * 1.0 / "
          "max(ended_at - started_at, 1) AS share FROM history WHERE ",
          conditions.text(), ") GROUP BY key")));
  rows.Bind(1, to).Bind(2, from);
  conditions.BindTo(rows, 3);
  return SumColumns().ReadAll(rows);
}

absl::StatusOr<std::vector<HistoryEntry>> ReadUnaccounted(Database& db,
                                                          absl::Time now,
                                                          int max) {
  ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT ", EntryColumns().list(),
          " FROM history WHERE accounted_at IS NULL AND ended_at > ?2 "
          "AND slurm_job_id <> 0 AND (checked_at IS NULL "
          "OR ?1 - checked_at > (?1 - ended_at) / 8) "
          "ORDER BY ended_at DESC LIMIT ?3")));
  rows.Bind(1, absl::ToUnixMicros(now))
      .Bind(2, absl::ToUnixMicros(now - kAskedFor))
      .Bind(3, int64_t{max});
  return EntryColumns().ReadAll(rows);
}

absl::Status WriteAccounted(Database& db, const HistoryEntry& entry,
                            absl::Time now) {
  static const RowMapper<HistoryEntry> changed = EntryColumns().Only(
      {"gpu_type", "gpu_seconds", "cpu_seconds", "account", "ending", "reason",
       "reason_code", "exit_code", "started_at", "ended_at"});
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare(absl::StrCat("UPDATE history SET ", changed.assignments(),
                              ", accounted_at = ? WHERE id = ?")));
  const int next = changed.Bind(write, entry);
  return write.Bind(next, absl::ToUnixMicros(now))
      .Bind(next + 1, entry.id.value())
      .Run();
}

absl::Status RecordUnaccounted(Database& db, const JobId& id, absl::Time now) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("UPDATE history SET checked_at = ? WHERE id = ?"));
  return write.Bind(1, absl::ToUnixMicros(now)).Bind(2, id.value()).Run();
}

absl::StatusOr<int64_t> DeleteHistory(Database& db, absl::Time before,
                                      int max) {
  ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare(
          "DELETE FROM history WHERE ended_at < max(?1, coalesce("
          "(SELECT ended_at FROM history ORDER BY ended_at DESC, id DESC "
          "LIMIT 1 OFFSET ?2 - 1), 0))"));
  RETURN_IF_ERROR(
      remove.Bind(1, absl::ToUnixMicros(before)).Bind(2, int64_t{max}).Run());
  return db.Changes();
}

}  // namespace carme::backend
