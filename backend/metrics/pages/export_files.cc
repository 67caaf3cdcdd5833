#include "backend/metrics/pages/export_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "backend/metrics/archive/reduction.h"
#include "backend/metrics/pages/gssr_fields.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;

// The shortest text that reads back as the same number.
std::string Number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "";
}

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

std::string JsonString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&quoted, absl::StrFormat("\\u%04x", c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::map<std::string, std::string> LabelsOf(const ArchivedSeries& series) {
  return {series.labels().begin(), series.labels().end()};
}

std::string LabelText(const ArchivedSeries& series) {
  std::string text;
  for (const auto& [name, value] : LabelsOf(series)) {
    absl::StrAppend(&text, text.empty() ? "" : ";", name, "=", value);
  }
  return text;
}

std::string GssrNumber(const GssrField& field, double value) {
  return field.is_whole
             ? absl::StrFormat("%d", std::llround(value * field.factor))
             : absl::StrFormat("%.2f", value * field.factor);
}

// The columns _min, _avg and _max of a sample. False: there is none, they are
// empty.
bool AppendGssr(const GssrField& field, const ArchivedSeries* series, int place,
                std::string* row) {
  const double value = SampleAt(series, place);
  if (std::isnan(value)) {
    *row += ",,,";
    return false;
  }
  const std::string text = GssrNumber(field, value);
  std::string middle = text;
  if (field.is_difference) {
    const double before = SampleAt(series, place - 1);
    middle = std::isnan(before) ? "" : GssrNumber(field, value - before);
  }
  absl::StrAppend(row, ",", text, ",", middle, ",", text);
  return true;
}

std::string GssrTable(const NodeGpus& node) {
  std::vector<const GssrField*> fields;
  for (const GssrField& field : kGssrFields) {
    if (node.Has(field)) fields.push_back(&field);
  }
  std::string text = "timestamp,gpuId";
  for (const GssrField* field : fields) {
    absl::StrAppend(&text, ",", field->field, "_min,", field->field, "_avg,",
                    field->field, "_max");
  }
  text += '\n';
  for (int place = 0; place < node.points; ++place) {
    for (const std::string& gpu : node.gpus) {
      std::string row = absl::StrCat(place * node.step_s, ",", CsvField(gpu));
      bool is_gap = true;
      for (const GssrField* field : fields) {
        const bool is_sampled =
            AppendGssr(*field, node.Find(gpu, *field), place, &row);
        is_gap = is_gap && !is_sampled;
      }
      if (!is_gap) absl::StrAppend(&text, row, "\n");
    }
  }
  return text;
}

// ClusterCockpit.

struct Statistics {
  double sum = 0, min = 0, max = 0;
  int64_t count = 0;

  void Add(double value) {
    if (std::isnan(value)) return;
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    sum += value;
    ++count;
  }
  std::string Json() const {
    return absl::StrCat("\"avg\":", Number(count > 0 ? sum / count : 0),
                        ",\"min\":", Number(min), ",\"max\":", Number(max));
  }
};

Statistics StatisticsOf(const ArchivedSeries& series) {
  Statistics statistics;
  for (const double value : series.resolutions(0).values()) {
    statistics.Add(value);
  }
  return statistics;
}

// The unit in the last words of a name.
std::string UnitJson(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"bytes_per_second", "B/s"},
      {"bytes", "B"},
      {"seconds", "s"},
      {"watts", "W"},
      {"joules", "J"},
      {"celsius", "degC"},
      {"hertz", "Hz"},
      {"ratio", ""}};
  std::string_view rest = name;
  if (IsCounter(rest)) rest.remove_suffix(sizeof("_total") - 1);
  for (const auto& [word, unit] : kUnits) {
    if (rest.ends_with(word)) {
      return absl::StrCat("{\"base\":\"", std::string(unit), "\"}");
    }
  }
  return "{\"base\":\"\"}";
}

std::string JobStateOf(const std::string& result) {
  if (result.empty()) return "running";
  if (result == "completed") return "completed";
  if (result == "timeout") return "timeout";
  if (result == "stopped") return "cancelled";
  return "failed";
}

std::string MetaJson(const JobArchive& archive,
                     const std::map<std::string, Statistics>& statistics) {
  const carme::v1::MeasuredJob& job = archive.job();
  const int nodes = std::max(job.nodes_size(), 1);
  const int64_t duration_s =
      job.ended_at_ms() != 0 ? (job.ended_at_ms() - job.started_at_ms()) / 1000
                             : 0;
  std::string text = absl::StrCat(
      "{\"jobId\":", job.slurm_job_id(), ",\"user\":", JsonString(job.owner()),
      ",\"project\":", JsonString(job.project()),
      ",\"cluster\":\"\",\"subCluster\":\"\",\"partition\":",
      JsonString(job.partition()), ",\"arrayJobId\":0,\"numNodes\":", nodes,
      ",\"numHwthreads\":", nodes * job.cpus_per_node(),
      ",\"numAcc\":", nodes * job.gpus_per_node(),
      ",\"exclusive\":0,\"monitoringStatus\":1,\"smt\":0,\"jobState\":\"",
      JobStateOf(job.result()), "\",\"startTime\":", job.started_at_ms() / 1000,
      ",\"duration\":", duration_s, ",\"resources\":[");
  for (int i = 0; i < job.nodes_size(); ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "",
                    "{\"hostname\":", JsonString(job.nodes(i)), "}");
  }
  absl::StrAppend(&text, "],\"metaData\":{\"jobName\":", JsonString(job.name()),
                  "},\"tags\":[],\"statistics\":{");
  bool first = true;
  for (const auto& [name, one] : statistics) {
    absl::StrAppend(&text, first ? "" : ",", JsonString(name),
                    ":{\"unit\":", UnitJson(name), ",", one.Json(), "}");
    first = false;
  }
  return text + "}}\n";
}

// Series of a GPU are of the scope accelerator, others of the node. Of several
// in a node without a GPU, each has its labels as its id.
std::string DataJson(
    const std::map<std::string,
                   std::map<std::string, std::vector<const ArchivedSeries*>>>&
        by_scope) {
  std::string text = "{";
  bool first_name = true;
  for (const auto& [name, scopes] : by_scope) {
    absl::StrAppend(&text, first_name ? "" : ",", JsonString(name), ":{");
    first_name = false;
    bool first_scope = true;
    for (const auto& [scope, list] : scopes) {
      absl::StrAppend(&text, first_scope ? "" : ",", JsonString(scope),
                      ":{\"unit\":", UnitJson(name),
                      ",\"timestep\":", list.front()->resolutions(0).step_s(),
                      ",\"series\":[");
      first_scope = false;
      for (size_t i = 0; i < list.size(); ++i) {
        const ArchivedSeries& series = *list[i];
        const auto gpu = series.labels().find("gpu");
        const std::string id =
            gpu != series.labels().end() ? gpu->second : LabelText(series);
        absl::StrAppend(&text, i > 0 ? "," : "",
                        "{\"hostname\":", JsonString(series.node()));
        if (!id.empty()) absl::StrAppend(&text, ",\"id\":", JsonString(id));
        absl::StrAppend(&text, ",\"statistics\":{", StatisticsOf(series).Json(),
                        "},\"data\":[");
        bool first_value = true;
        for (const double value : series.resolutions(0).values()) {
          absl::StrAppend(&text, first_value ? "" : ",",
                          std::isnan(value) ? "null" : Number(value));
          first_value = false;
        }
        text += "]}";
      }
      text += "]}";
    }
    text += '}';
  }
  return text + "}\n";
}

}  // namespace

std::vector<ExportedFile> ExportCsv(const JobArchive& archive) {
  std::string text = "time_s,node,name,labels,value\n";
  for (const ArchivedSeries& series : archive.series()) {
    const std::string middle =
        absl::StrCat(",", CsvField(series.node()), ",", series.name(), ",",
                     CsvField(LabelText(series)), ",");
    for (const archive::v1::Resolution& points : series.resolutions()) {
      int64_t at_ms = points.first_ms();
      for (const double value : points.values()) {
        if (!std::isnan(value)) {
          absl::StrAppend(&text, Number(static_cast<double>(at_ms) / 1000),
                          middle, Number(value), "\n");
        }
        at_ms += int64_t{points.step_s()} * 1000;
      }
    }
  }
  return {{absl::StrCat(archive.job().job_id(), ".csv"), std::move(text)}};
}

std::vector<ExportedFile> ExportGssr(const JobArchive& archive) {
  const carme::v1::MeasuredJob& job = archive.job();
  const std::string folder =
      absl::StrCat("gssr_report/carme_", job.slurm_job_id(), "/step_0/");
  std::vector<ExportedFile> files;
  size_t count = 0;
  for (const auto& [name, node] : GpusByNode(archive)) {
    files.push_back(
        {absl::StrCat(folder, "proc_", files.size(), ".csv"), GssrTable(node)});
    count += node.gpus.size();
  }
  const std::string date = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%S+0000", absl::FromUnixMillis(job.started_at_ms()),
      absl::UTCTimeZone());
  const int nodes = std::max(job.nodes_size(), 1);
  files.push_back(
      {folder + "proc_0.meta.txt",
       absl::StrCat("{\"gssr-record-version\":\"carme\",\"date\":\"", date,
                    "\",\"cluster\":\"carme\",\"jobid\":\"", job.slurm_job_id(),
                    "\",\"jobname\":", JsonString(job.name()), ",\"nnodes\":",
                    nodes, ",\"ntasks\":", nodes, ",\"ngpus\":", count,
                    ",\"step_nnodes\":", nodes, ",\"step_ntasks\":", nodes,
                    ",\"executable\":\"\",\"arguments\":[]}\n")});
  return files;
}

std::vector<ExportedFile> ExportClusterCockpit(const JobArchive& archive) {
  std::map<std::string, Statistics> statistics;
  std::map<std::string,
           std::map<std::string, std::vector<const ArchivedSeries*>>>
      by_scope;
  for (const ArchivedSeries& series : archive.series()) {
    if (series.resolutions().empty()) continue;
    for (const double value : series.resolutions(0).values()) {
      statistics[series.name()].Add(value);
    }
    const char* const scope =
        series.labels().contains("gpu") ? "accelerator" : "node";
    by_scope[series.name()][scope].push_back(&series);
  }
  return {{"meta.json", MetaJson(archive, statistics)},
          {"data.json", DataJson(by_scope)}};
}

}  // namespace carme::metrics
