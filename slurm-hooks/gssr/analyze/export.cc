#include "slurm-hooks/gssr/analyze/export.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/gssr/recording_database.h"
#include "common/status.h"

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

std::string Number(double value) { return absl::StrFormat("%.17g", value); }

absl::Status WriteDatabase(const Recordings& recordings,
                           const std::string& path) {
  ASSIGN_OR_RETURN(const auto database,
                   RecordingDatabase::Create(path, MetricNames(recordings)));
  for (const GpuSeries& series : recordings.series) {
    RETURN_IF_ERROR(database->Add(series));
  }
  return database->Finish();
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
  const absl::Status written = WriteDatabase(recordings, temporary);
  if (!written.ok()) {
    unlink(temporary.c_str());
    return written;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(temporary.c_str());
    return ErrnoError(error, absl::StrCat("write \"", path, "\""));
  }
  return absl::OkStatus();
}

}  // namespace carme::gssr
