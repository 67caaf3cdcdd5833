#include "backend/metrics/pages/export_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "backend/metrics/pages/export_text.h"
#include "backend/metrics/pages/gssr_fields.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;
using gssr::RecordingField;

// RFC 4180.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string SecondsText(int64_t time_ms) {
  // "1700000000", not "1.7e+09".
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text,
                                          static_cast<double>(time_ms) / 1000,
                                          std::chars_format::fixed);
  return error == std::errc() ? std::string(text, end) : "";
}

void AppendEvent(const v1::NodeEvent& event, std::string* text) {
  const auto node = event.labels().find("node");
  absl::StrAppend(text, SecondsText(event.time_ms()), ",",
                  CsvField(node == event.labels().end() ? "" : node->second),
                  ",", CsvField(absl::StrCat("event:", event.kind())), ",",
                  CsvField(LabelText(event.labels())), ",1\n");
}

std::string GssrNumber(const RecordingField& field, double value) {
  if (std::isnan(value)) return "";
  return field.is_whole
             ? absl::StrFormat("%d", std::llround(value * field.factor))
             : absl::StrFormat("%.2f", value * field.factor);
}

// The columns _min, _avg and _max of a sample. False: there is none, they are
// empty.
bool AppendGssr(const RecordingField& field, const ArchivedSeries* series,
                int place, std::string* row) {
  const double value = SampleAt(series, place);
  const std::string text = GssrNumber(field, value);
  absl::StrAppend(
      row, ",", text, ",",
      field.is_difference ? GssrNumber(field, IncreaseAt(series, place)) : text,
      ",", text);
  return !std::isnan(value);
}

std::string GssrTable(const NodeGpus& node) {
  std::string text = "timestamp,gpuId";
  for (const RecordingField& field : gssr::kRecordingFields) {
    absl::StrAppend(&text, ",", field.column, "_min,", field.column, "_avg,",
                    field.column, "_max");
  }
  text += '\n';
  for (int place = 0; place < node.points; ++place) {
    for (const std::string& gpu : node.gpus) {
      std::string row = absl::StrCat(place * node.step_s, ",", CsvField(gpu));
      bool is_gap = true;
      for (const RecordingField& field : gssr::kRecordingFields) {
        const bool is_sampled =
            AppendGssr(field, node.Find(gpu, field), place, &row);
        is_gap = is_gap && !is_sampled;
      }
      if (!is_gap) absl::StrAppend(&text, row, "\n");
    }
  }
  return text;
}

// gssr-analyze 2.0 reads the arguments as one string. Carme's record does not
// have them, nor the executable.
std::string GssrMeta(const JobArchive& archive, const ExportNames& names,
                     size_t gpu_count) {
  const v1::MeasuredJob& job = archive.job();
  const std::string date = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%S%z", absl::FromUnixMillis(job.started_at_ms()),
      absl::UTCTimeZone());
  const std::string nodes = absl::StrCat(std::max(job.nodes_size(), 1));
  const std::pair<const char*, std::string> lines[] = {
      {"gssr-record-version", "2.1"},
      {"date", date},
      {"cluster", names.cluster},
      {"jobid", absl::StrCat(job.slurm_job_id())},
      {"jobname", job.name()},
      {"nnodes", nodes},
      {"ntasks", nodes},
      {"ngpus", absl::StrCat(gpu_count)},
      {"step_nnodes", nodes},
      {"step_ntasks", nodes},
      {"executable", ""},
      {"arguments", ""}};
  std::string text = "{";
  for (const auto& [name, value] : lines) {
    absl::StrAppend(&text, text.size() == 1 ? "\n" : ",\n", "    \"", name,
                    "\": ", JsonString(value));
  }
  return text + "\n}\n";
}

}  // namespace

std::vector<ExportedFile> ExportCsv(const JobArchive& archive) {
  std::string text = "time_s,node,name,labels,value\n";
  for (const ArchivedSeries& series : archive.series()) {
    const std::string middle =
        absl::StrCat(",", CsvField(series.node()), ",", series.name(), ",",
                     CsvField(LabelText(series.labels())), ",");
    for (const archive::v1::Resolution& points : series.resolutions()) {
      int64_t at_ms = points.first_ms();
      for (const double value : points.values()) {
        if (!std::isnan(value)) {
          absl::StrAppend(&text, SecondsText(at_ms), middle, NumberText(value),
                          "\n");
        }
        at_ms += int64_t{points.step_s()} * 1000;
      }
    }
  }
  for (const v1::NodeEvent& event : archive.events()) {
    AppendEvent(event, &text);
  }
  return {{absl::StrCat(archive.job().job_id(), ".csv"), std::move(text)}};
}

std::vector<ExportedFile> ExportGssr(const JobArchive& archive,
                                     const ExportNames& names) {
  const std::string folder =
      absl::StrCat("gssr_report/", names.cluster, "_",
                   archive.job().slurm_job_id(), "/step_0/");
  std::vector<ExportedFile> files;
  size_t gpu_count_on_node = 0;
  for (const auto& [name, node] : GpusByNode(archive)) {
    files.push_back(
        {absl::StrCat(folder, "proc_", files.size(), ".csv"), GssrTable(node)});
    gpu_count_on_node = std::max(gpu_count_on_node, node.gpus.size());
  }
  files.push_back({folder + "proc_0.meta.txt",
                   GssrMeta(archive, names, gpu_count_on_node)});
  return files;
}

}  // namespace carme::metrics
