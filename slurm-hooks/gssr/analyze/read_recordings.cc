#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/file.h"
#include "common/status.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{1} << 30;

void FindFiles(const std::string& path, std::set<std::string>* files) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    files->insert(path);
    return;
  }
  for (fs::recursive_directory_iterator at(path, error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().string();
    if (absl::EndsWith(name, ".source.json")) continue;
    for (const char* const suffix : {".csv", ".json", ".sqlite3"}) {
      if (absl::EndsWith(name, suffix)) files->insert(name);
    }
  }
}

// What the names of folders and files say, and meta.txt: of gssr-record.
void AddContext(const fs::path& path, std::vector<GpuSeries>* series,
                std::vector<std::string>* warnings) {
  const std::string folder = path.parent_path().filename().string();
  const std::string stem = path.stem().string();
  RecordingMeta meta;
  const fs::path meta_path = path.parent_path() / "proc_0.meta.txt";
  if (const auto text = ReadFile(meta_path.string()); text.ok()) {
    if (auto parsed = ParseMeta(*text); parsed.ok()) {
      meta = *std::move(parsed);
    } else {
      warnings->push_back(
          absl::StrCat(meta_path.string(), ": ", parsed.status().message()));
    }
  }
  RecordingSource source;
  fs::path source_path = path;
  source_path.replace_extension(".source.json");
  if (const auto text = ReadFile(source_path.string()); text.ok()) {
    if (auto parsed = ParseSource(*text); parsed.ok()) {
      source = *std::move(parsed);
    } else {
      warnings->push_back(
          absl::StrCat(source_path.string(), ": ", parsed.status().message()));
    }
  }
  // CLUSTER_JOB and jobreport_JOB both end with the job.
  const std::string job_folder =
      path.parent_path().parent_path().filename().string();
  const std::string job = job_folder.substr(job_folder.rfind('_') + 1);
  for (GpuSeries& one : *series) {
    one.step_id = std::string(absl::StripPrefix(folder, "step_"));
    one.process_id = std::string(absl::StripPrefix(stem, "proc_"));
    one.job_id = meta.job_id.empty() ? job : meta.job_id;
    one.label = meta.job_name;
    one.command = meta.command;
    one.started = meta.started;
    one.driver = source.driver;
    if (const auto limit = source.power_limits_w.find(one.gpu_id);
        limit != source.power_limits_w.end()) {
      one.power_limit_w = limit->second;
    }
  }
}

absl::StatusOr<std::vector<GpuSeries>> ReadOne(
    const std::string& path, std::vector<std::string>* warnings) {
  if (absl::EndsWith(path, ".sqlite3") || absl::EndsWith(path, ".db")) {
    return ReadSqlite(path);
  }
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxFileBytes));
  if (absl::EndsWith(path, ".json")) return ParseJson(text);
  auto series = ParseCsv(text);
  if (series.ok()) AddContext(path, &*series, warnings);
  return series;
}

}  // namespace

absl::StatusOr<Recordings> ReadRecordings(
    const std::vector<std::string>& paths) {
  Recordings recordings;
  std::set<std::string> files;
  for (const std::string& path : paths) FindFiles(path, &files);
  for (const std::string& file : files) {
    auto series = ReadOne(file, &recordings.warnings);
    if (!series.ok()) {
      recordings.warnings.push_back(
          absl::StrCat(file, ": ", series.status().message()));
      continue;
    }
    std::move(series->begin(), series->end(),
              std::back_inserter(recordings.series));
  }
  if (recordings.series.empty()) {
    absl::Status status = MakePlainError(gssr_analyze_messages::kNothingRead);
    for (const std::string& warning : recordings.warnings) {
      status =
          absl::NotFoundError(absl::StrCat(warning, "\n", status.message()));
    }
    return status;
  }
  return recordings;
}

}  // namespace carme::gssr
