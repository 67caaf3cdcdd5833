#include "common/gssr/recording_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/gssr/messages.h"
#include "common/status.h"

namespace carme::gssr {
namespace {

// The types that pandas gives them in gssr 0.3. Its queries compare ids with
// numbers, which are equal to no text in a column without a type.
constexpr char kKeyColumns[] =
    "job_id INTEGER, step_id INTEGER, proc_id INTEGER, gpu_id TEXT, "
    "sample_index INTEGER, time REAL";
constexpr int kKeyColumnCount = 6;

// Columns that its summary reads, measured or not.
constexpr const char* kSummaryColumns[] = {"fp16_active", "fp32_active",
                                           "fp64_active", "gpu_utilization",
                                           "sm_active",   "tensor_active"};

std::string Identifier(const std::string& name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

// Binds the values of a row, one after the other.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  Row& Text(const std::string& text) {
    sqlite3_bind_text(statement_, ++place_, text.data(),
                      static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Row& Whole(size_t number) {
    sqlite3_bind_int64(statement_, ++place_, static_cast<int64_t>(number));
    return *this;
  }
  Row& Real(std::optional<double> number) {
    ++place_;
    if (number) {
      sqlite3_bind_double(statement_, place_, *number);
    } else {
      sqlite3_bind_null(statement_, place_);
    }
    return *this;
  }
  Row& Time(std::optional<absl::Time> time) {
    if (time) {
      return Text(
          absl::FormatTime("%Y-%m-%d %H:%M:%S", *time, absl::UTCTimeZone()));
    }
    return Real(std::nullopt);
  }
  bool Insert() {
    const bool done = sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    place_ = 0;
    return done;
  }

 private:
  sqlite3_stmt* const statement_;
  int place_ = 0;
};

template <typename Value>
std::optional<Value> Median(std::vector<Value> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::optional<absl::Time> EndOf(std::optional<absl::Time> started,
                                double elapsed_s) {
  if (!started) return std::nullopt;
  return *started + absl::Seconds(elapsed_s);
}

using OwnedStatement =
    std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

}  // namespace

RecordingDatabase::RecordingDatabase(sqlite3* database,
                                     std::set<std::string> metrics)
    : database_(database), metrics_(std::move(metrics)) {
  metrics_.insert(std::begin(kSummaryColumns), std::end(kSummaryColumns));
}

RecordingDatabase::~RecordingDatabase() {
  sqlite3_finalize(insert_);
  sqlite3_close(database_);
}

absl::Status RecordingDatabase::Error() const {
  return MakePlainError(gssr_messages::kSqlite,
                        {{"error", sqlite3_errmsg(database_)}});
}

absl::Status RecordingDatabase::Execute(const std::string& sql) {
  const int result =
      sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : Error();
}

absl::StatusOr<sqlite3_stmt*> RecordingDatabase::Prepare(
    const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) !=
      SQLITE_OK) {
    return Error();
  }
  return statement;
}

absl::StatusOr<std::unique_ptr<RecordingDatabase>> RecordingDatabase::Create(
    const std::string& path, std::set<std::string> metrics) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(path.c_str(), &opened);
  std::unique_ptr<RecordingDatabase> database(
      new RecordingDatabase(opened, std::move(metrics)));
  if (result != SQLITE_OK) return database->Error();
  std::string columns;
  std::string places;
  for (const std::string& name : database->metrics_) {
    absl::StrAppend(&columns, Identifier(name), " REAL, ");
    places += "?,";
  }
  for (int i = 0; i < kKeyColumnCount; ++i) places += i == 0 ? "?" : ",?";
  // The file is written once and is of no use until it is complete.
  RETURN_IF_ERROR(database->Execute(absl::StrCat(
      "PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;BEGIN;"
      "CREATE TABLE data(",
      columns, kKeyColumns,
      ");CREATE TABLE process_metadata(job_id INTEGER, step_id INTEGER, "
      "proc_id INTEGER, hostname TEXT, n_gpus INTEGER, gpu_ids TEXT, "
      "start_time TEXT, end_time TEXT, elapsed REAL);"
      "CREATE TABLE job_metadata(job_id INTEGER, step_id INTEGER, label TEXT, "
      "n_hosts INTEGER, hostnames TEXT, n_procs INTEGER, n_gpus INTEGER, "
      "median_start_time TEXT, median_end_time TEXT, median_elapsed REAL, "
      "sampling_time INTEGER, metrics TEXT, cmd TEXT);")));
  ASSIGN_OR_RETURN(
      database->insert_,
      database->Prepare(absl::StrCat("INSERT INTO data VALUES(", places, ")")));
  return database;
}

absl::Status RecordingDatabase::Add(const GpuSeries& series) {
  Row row(insert_);
  size_t index = 0;
  for (const RecordedSample& sample : series.samples) {
    for (const std::string& name : metrics_) {
      const std::optional<double> value = sample.Find(name);
      if (value) sampled_.insert(name);
      row.Real(value);
    }
    row.Text(series.job_id).Text(series.step_id).Text(series.process_id);
    row.Text(series.gpu_id).Whole(index++).Real(sample.time_s);
    if (!row.Insert()) return Error();
  }
  const double elapsed_s =
      series.samples.empty() ? 0 : series.samples.back().time_s;
  Process& process =
      processes_[{series.job_id, series.step_id, series.process_id}];
  if (process.gpu_ids.empty()) {
    process.hostname = series.hostname;
    process.started = series.started;
    process.elapsed_s = elapsed_s;
  }
  process.gpu_ids.push_back(series.gpu_id);
  Step& step = steps_
                   .try_emplace({series.job_id, series.step_id},
                                Step{.label = series.label,
                                     .command = series.command,
                                     .interval_s = 0})
                   .first->second;
  if (series.samples.size() > 1) {
    step.interval_s = series.samples[1].time_s - series.samples[0].time_s;
  }
  return absl::OkStatus();
}

absl::Status RecordingDatabase::WriteProcesses() {
  ASSIGN_OR_RETURN(
      sqlite3_stmt* const prepared,
      Prepare("INSERT INTO process_metadata VALUES(?,?,?,?,?,?,?,?,?)"));
  const OwnedStatement owned(prepared, sqlite3_finalize);
  Row row(prepared);
  for (const auto& [key, process] : processes_) {
    row.Text(key[0]).Text(key[1]).Text(key[2]).Text(process.hostname);
    row.Whole(process.gpu_ids.size());
    row.Text(absl::StrJoin(process.gpu_ids, ","));
    row.Time(process.started);
    row.Time(EndOf(process.started, process.elapsed_s));
    row.Real(process.elapsed_s);
    if (!row.Insert()) return Error();
  }
  return absl::OkStatus();
}

absl::Status RecordingDatabase::WriteSteps() {
  ASSIGN_OR_RETURN(
      sqlite3_stmt* const prepared,
      Prepare("INSERT INTO job_metadata VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  const OwnedStatement owned(prepared, sqlite3_finalize);
  Row row(prepared);
  for (const auto& [key, step] : steps_) {
    std::set<std::string> hosts;
    size_t process_count = 0;
    size_t gpu_count = 0;
    std::vector<absl::Time> starts;
    std::vector<absl::Time> ends;
    std::vector<double> elapsed;
    for (const auto& [of, process] : processes_) {
      if (of[0] != key[0] || of[1] != key[1]) continue;
      hosts.insert(process.hostname);
      ++process_count;
      gpu_count += process.gpu_ids.size();
      elapsed.push_back(process.elapsed_s);
      if (!process.started) continue;
      starts.push_back(*process.started);
      ends.push_back(*EndOf(process.started, process.elapsed_s));
    }
    row.Text(key[0]).Text(key[1]).Text(step.label).Whole(hosts.size());
    row.Text(absl::StrJoin(hosts, ",")).Whole(process_count).Whole(gpu_count);
    row.Time(Median(std::move(starts))).Time(Median(std::move(ends)));
    row.Real(Median(std::move(elapsed))).Real(step.interval_s * 1000);
    row.Text(absl::StrJoin(sampled_, ",")).Text(step.command);
    if (!row.Insert()) return Error();
  }
  return absl::OkStatus();
}

absl::Status RecordingDatabase::Finish() {
  RETURN_IF_ERROR(WriteProcesses());
  RETURN_IF_ERROR(WriteSteps());
  RETURN_IF_ERROR(Execute("COMMIT"));
  sqlite3_finalize(std::exchange(insert_, nullptr));
  const int result = sqlite3_close(database_);
  if (result != SQLITE_OK) return Error();
  database_ = nullptr;
  return absl::OkStatus();
}

}  // namespace carme::gssr
