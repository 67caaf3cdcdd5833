#include <sqlite3.h>

#include <memory>

#include "common/gssr/messages.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

absl::Status SqliteError(sqlite3* database) {
  return MakePlainError(gssr_messages::kSqlite,
                        {{"error", sqlite3_errmsg(database)}});
}

std::string ColumnText(sqlite3_stmt* statement, int column) {
  const auto* const text = sqlite3_column_text(statement, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

// The table `data` of gssr 0.3: metrics, then the columns of kKeys.
absl::StatusOr<std::vector<GpuSeries>> ReadSqlite(const std::string& path) {
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(
      opened, sqlite3_close);
  if (result != SQLITE_OK) return SqliteError(opened);
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(opened,
                         "SELECT * FROM data ORDER BY job_id, step_id, "
                         "proc_id, gpu_id, sample_index",
                         -1, &prepared, nullptr) != SQLITE_OK) {
    return SqliteError(opened);
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(
      prepared, sqlite3_finalize);
  std::map<std::vector<std::string>, GpuSeries> series;
  int step = SQLITE_DONE;
  while ((step = sqlite3_step(prepared)) == SQLITE_ROW) {
    GpuSeries keys;
    RecordedSample sample;
    for (int i = 0; i < sqlite3_column_count(prepared); ++i) {
      const std::string name = sqlite3_column_name(prepared, i);
      if (name == "job_id") {
        keys.job_id = ColumnText(prepared, i);
      } else if (name == "step_id") {
        keys.step_id = ColumnText(prepared, i);
      } else if (name == "proc_id") {
        keys.process_id = ColumnText(prepared, i);
      } else if (name == "gpu_id") {
        keys.gpu_id = ColumnText(prepared, i);
      } else if (name == "time") {
        sample.time_s = sqlite3_column_double(prepared, i);
      } else if (name != "sample_index" &&
                 sqlite3_column_type(prepared, i) != SQLITE_NULL) {
        sample.values[name] = sqlite3_column_double(prepared, i);
      }
    }
    const std::vector<std::string> key = {keys.job_id, keys.step_id,
                                          keys.process_id, keys.gpu_id};
    series.try_emplace(key, std::move(keys))
        .first->second.samples.push_back(std::move(sample));
  }
  if (step != SQLITE_DONE) return SqliteError(opened);
  std::vector<GpuSeries> found;
  for (auto& [key, one] : series) found.push_back(std::move(one));
  return found;
}

}  // namespace carme::gssr
