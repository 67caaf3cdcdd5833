#include <sqlite3.h>

#include <memory>

#include "common/gssr/messages.h"
#include "common/status.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

using Key = std::vector<std::string>;

absl::Status SqliteError(sqlite3* database) {
  return MakePlainError(gssr_messages::kSqlite,
                        {{"error", sqlite3_errmsg(database)}});
}

// The rows of a query.
class SqliteRows {
 public:
  static absl::StatusOr<SqliteRows> Open(sqlite3* database, const char* query) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database, query, -1, &prepared, nullptr) !=
        SQLITE_OK) {
      return SqliteError(database);
    }
    return SqliteRows(database, prepared);
  }

  // False: there are no more.
  absl::StatusOr<bool> Next() {
    const int step = sqlite3_step(statement_.get());
    if (step == SQLITE_ROW) return true;
    if (step == SQLITE_DONE) return false;
    return SqliteError(database_);
  }

  int Columns() const { return sqlite3_column_count(statement_.get()); }
  std::string Name(int column) const {
    return sqlite3_column_name(statement_.get(), column);
  }
  bool IsNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  double Number(int column) const {
    return sqlite3_column_double(statement_.get(), column);
  }
  std::string Text(int column) const {
    const auto* const text = sqlite3_column_text(statement_.get(), column);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
  }

 private:
  SqliteRows(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement, sqlite3_finalize) {}

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement_;
};

// The values of a row of `data`, and of which GPU they are.
RecordedSample ReadSample(const SqliteRows& rows, GpuSeries* keys) {
  RecordedSample sample;
  for (int i = 0; i < rows.Columns(); ++i) {
    const std::string name = rows.Name(i);
    if (name == "job_id") {
      keys->job_id = rows.Text(i);
    } else if (name == "step_id") {
      keys->step_id = rows.Text(i);
    } else if (name == "proc_id") {
      keys->process_id = rows.Text(i);
    } else if (name == "gpu_id") {
      keys->gpu_id = rows.Text(i);
    } else if (name == "time") {
      sample.time_s = rows.Number(i);
    } else if (name != "sample_index" && !rows.IsNull(i) &&
               !IsBlank(rows.Number(i))) {
      sample.values[name] = rows.Number(i);
    }
  }
  return sample;
}

// The two texts of each row by its keys, which come first. Empty: there is no
// such table, as in files of other programs.
absl::StatusOr<std::map<Key, std::pair<std::string, std::string>>> ReadTexts(
    sqlite3* database, int keys, const char* query) {
  std::map<Key, std::pair<std::string, std::string>> texts;
  auto rows = SqliteRows::Open(database, query);
  if (!rows.ok()) return texts;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows->Next());
    if (!more) return texts;
    Key key;
    for (int i = 0; i < keys; ++i) key.push_back(rows->Text(i));
    texts[key] = {rows->Text(keys), rows->Text(keys + 1)};
  }
}

// Where and when each process ran; what each step was.
absl::Status AddMetadata(sqlite3* database, std::vector<GpuSeries>* series) {
  ASSIGN_OR_RETURN(const auto processes,
                   ReadTexts(database, 3,
                             "SELECT job_id, step_id, proc_id, hostname, "
                             "start_time FROM process_metadata"));
  ASSIGN_OR_RETURN(const auto steps,
                   ReadTexts(database, 2,
                             "SELECT job_id, step_id, label, cmd "
                             "FROM job_metadata"));
  for (GpuSeries& one : *series) {
    if (const auto found =
            processes.find({one.job_id, one.step_id, one.process_id});
        found != processes.end()) {
      one.hostname = found->second.first;
      one.started = ParseRecordedTime(found->second.second);
    }
    if (const auto found = steps.find({one.job_id, one.step_id});
        found != steps.end()) {
      one.label = found->second.first;
      one.command = found->second.second;
    }
  }
  return absl::OkStatus();
}

}  // namespace

// The tables of gssr 0.3.
absl::StatusOr<std::vector<GpuSeries>> ReadSqlite(const std::string& path) {
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(
      opened, sqlite3_close);
  if (result != SQLITE_OK) return SqliteError(opened);
  ASSIGN_OR_RETURN(
      SqliteRows rows,
      SqliteRows::Open(opened,
                       "SELECT * FROM data ORDER BY job_id, step_id, proc_id, "
                       "gpu_id, sample_index"));
  std::map<Key, GpuSeries> series;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, rows.Next());
    if (!more) break;
    GpuSeries keys;
    RecordedSample sample = ReadSample(rows, &keys);
    const Key key = {keys.job_id, keys.step_id, keys.process_id, keys.gpu_id};
    series.try_emplace(key, std::move(keys))
        .first->second.samples.push_back(std::move(sample));
  }
  std::vector<GpuSeries> found;
  for (auto& [key, one] : series) found.push_back(std::move(one));
  RETURN_IF_ERROR(AddMetadata(opened, &found));
  return found;
}

}  // namespace carme::gssr
