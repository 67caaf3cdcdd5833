#include "slurm-hooks/gssr/analyze/export.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/status.h"
#include "slurm-hooks/gssr/analyze/messages.h"

namespace carme::gssr {
namespace {

constexpr char kKeys[] = "job_id, step_id, proc_id, gpu_id, sample_index, time";

std::set<std::string> MetricNames(const Recordings& recordings) {
  std::set<std::string> names;
  for (const GpuSeries& series : recordings.series) {
    for (const RecordedSample& sample : series.samples) {
      for (const auto& [name, value] : sample.values) names.insert(name);
    }
  }
  return names;
}

std::string Identifier(const std::string& name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

using Values = std::vector<std::string>;
std::string Text(const std::string& value) {
  return absl::StrCat("'", absl::StrReplaceAll(value, {{"'", "''"}}), "'");
}
std::string Number(double value) { return absl::StrFormat("%.17g", value); }

double Elapsed(const GpuSeries& series) {
  return series.samples.empty() ? 0 : series.samples.back().time_s;
}

std::string Statements(const Recordings& recordings) {
  const std::set<std::string> names = MetricNames(recordings);
  std::string sql = "BEGIN;CREATE TABLE data(";
  for (const std::string& name : names) {
    absl::StrAppend(&sql, Identifier(name), ", ");
  }
  absl::StrAppend(
      &sql, kKeys,
      ");CREATE TABLE process_metadata(job_id, step_id, proc_id, hostname, "
      "n_gpus, gpu_ids, start_time, end_time, elapsed);"
      "CREATE TABLE job_metadata(job_id, step_id, label, n_hosts, hostnames, "
      "n_procs, n_gpus, median_start_time, median_end_time, median_elapsed, "
      "sampling_time, metrics, cmd);");
  std::map<Values, std::vector<const GpuSeries*>> processes, steps;
  for (const GpuSeries& series : recordings.series) {
    processes[{series.job_id, series.step_id, series.process_id}].push_back(
        &series);
    steps[{series.job_id, series.step_id}].push_back(&series);
    size_t index = 0;
    for (const RecordedSample& sample : series.samples) {
      sql += "INSERT INTO data VALUES(";
      for (const std::string& name : names) {
        const auto value = sample.Find(name);
        absl::StrAppend(&sql, value ? Number(*value) : "NULL", ",");
      }
      absl::StrAppend(&sql, Text(series.job_id), ",", Text(series.step_id), ",",
                      Text(series.process_id), ",", Text(series.gpu_id), ",",
                      index++, ",", Number(sample.time_s), ");");
    }
  }
  for (const auto& [key, list] : processes) {
    Values gpus;
    for (const GpuSeries* const one : list) gpus.push_back(one->gpu_id);
    absl::StrAppend(&sql, "INSERT INTO process_metadata VALUES(", Text(key[0]),
                    ",", Text(key[1]), ",", Text(key[2]), ",",
                    Text(list[0]->hostname), ",", gpus.size(), ",",
                    Text(absl::StrJoin(gpus, ",")), ",NULL,NULL,",
                    Number(Elapsed(*list[0])), ");");
  }
  for (const auto& [key, list] : steps) {
    std::set<std::string> hosts, ranks;
    std::vector<double> elapsed;
    double interval = 0;
    for (const GpuSeries* const one : list) {
      hosts.insert(one->hostname);
      ranks.insert(one->process_id);
      elapsed.push_back(Elapsed(*one));
      if (one->samples.size() > 1) {
        interval = one->samples[1].time_s - one->samples[0].time_s;
      }
    }
    std::sort(elapsed.begin(), elapsed.end());
    absl::StrAppend(&sql, "INSERT INTO job_metadata VALUES(", Text(key[0]), ",",
                    Text(key[1]), ",", Text(list[0]->label), ",", hosts.size(),
                    ",", Text(absl::StrJoin(hosts, ",")), ",", ranks.size(),
                    ",", list.size(), ",NULL,NULL,");
    absl::StrAppend(&sql, Number(elapsed[elapsed.size() / 2]), ",",
                    Number(interval * 1000), ",",
                    Text(absl::StrJoin(names, ",")), ",",
                    Text(list[0]->command), ");");
  }
  return sql + "COMMIT;";
}

}  // namespace

std::string FormatCsv(const Recordings& recordings) {
  const std::set<std::string> names = MetricNames(recordings);
  std::string text =
      absl::StrCat(absl::StrJoin(names, ","), names.empty() ? "" : ",",
                   absl::StrReplaceAll(kKeys, {{" ", ""}}), "\n");
  for (const GpuSeries& series : recordings.series) {
    size_t index = 0;
    for (const RecordedSample& sample : series.samples) {
      for (const std::string& name : names) {
        const auto value = sample.Find(name);
        absl::StrAppend(&text, value ? Number(*value) : "", ",");
      }
      absl::StrAppend(&text, series.job_id, ",", series.step_id, ",",
                      series.process_id, ",", series.gpu_id, ",", index++, ",",
                      Number(sample.time_s), "\n");
    }
  }
  return text;
}

absl::Status ExportSqlite(const Recordings& recordings,
                          const std::string& path) {
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(temporary.c_str(), &opened);
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened,
                                                              sqlite3_close);
  if (result != SQLITE_OK ||
      sqlite3_exec(opened, Statements(recordings).c_str(), nullptr, nullptr,
                   nullptr) != SQLITE_OK) {
    const absl::Status status = MakePlainError(
        gssr_analyze_messages::kSqlite, {{"error", sqlite3_errmsg(opened)}});
    unlink(temporary.c_str());
    return status;
  }
  database.reset();
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    return ErrnoError(error, absl::StrCat("write \"", path, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::gssr
