#include "backend/metrics/pages/clustercockpit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/metrics/pages/clustercockpit_series.h"
#include "backend/metrics/pages/export_text.h"
#include "backend/metrics/query/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::metrics {
namespace {

using archive::v1::JobArchive;
using CockpitMetrics =
    std::map<std::pair<std::string, std::string>, CockpitMetric>;

// schema.MonitoringStatusArchivingSuccessful
constexpr int kArchived = 3;

struct CockpitStatistics {
  double sum = 0, min = 0, max = 0;
  int64_t count = 0;

  void Add(const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isnan(value)) continue;
      min = count == 0 ? value : std::min(min, value);
      max = count == 0 ? value : std::max(max, value);
      sum += value;
      ++count;
    }
  }
  std::string Json() const {
    return absl::StrCat(
        "\"avg\":", NumberText(sum / static_cast<double>(count)),
        ",\"min\":", NumberText(min), ",\"max\":", NumberText(max));
  }
};

std::string UnitJson(const CockpitUnit& unit) {
  std::string text = absl::StrCat("{\"base\":", JsonString(unit.base));
  if (!unit.prefix.empty()) {
    absl::StrAppend(&text, ",\"prefix\":", JsonString(unit.prefix));
  }
  return text + "}";
}

// The schema's word for a result of MeasuredJob. It has none for "unknown";
// SlurmInfoOf() says so.
std::string JobStateOf(const std::string& result) {
  constexpr std::string_view kStates[] = {
      "boot_fail", "cancelled",     "completed", "deadline", "failed",
      "node_fail", "out_of_memory", "preempted", "timeout"};
  if (result == "time_limit") return "timeout";
  if (result == "stopped") return "cancelled";
  const bool is_state = std::find(std::begin(kStates), std::end(kStates),
                                  result) != std::end(kStates);
  return is_state ? result : "failed";
}

std::string SlurmInfoOf(const std::string& result) {
  return result.empty() || result == "unknown"
             ? ",\"slurmInfo\":\"Carme does not know how the job ended.\""
             : "";
}

std::string ResourcesJson(const JobArchive& archive) {
  std::map<std::string, std::set<std::string>> gpus;
  for (const archive::v1::ArchivedSeries& series : archive.series()) {
    const auto gpu = series.labels().find("gpu");
    if (gpu == series.labels().end()) continue;
    gpus[series.node()].insert(JsonString(gpu->second));
  }
  std::string text;
  for (const std::string& node : archive.job().nodes()) {
    absl::StrAppend(&text, text.empty() ? "" : ",",
                    "{\"hostname\":", JsonString(node));
    if (gpus.contains(node)) {
      absl::StrAppend(&text, ",\"accelerators\":[",
                      absl::StrJoin(gpus[node], ","), "]");
    }
    text += "}";
  }
  return text;
}

// The schema allows no zero: the member is absent.
void AppendPositive(std::string_view name, int64_t value, std::string* text) {
  if (value > 0) absl::StrAppend(text, ",\"", std::string(name), "\":", value);
}

std::string MetaJson(const JobArchive& archive, const ExportNames& names,
                     const CockpitMetrics& metrics) {
  const v1::MeasuredJob& job = archive.job();
  const int64_t nodes = job.nodes_size();
  std::string text = absl::StrCat(
      "{\"jobId\":", job.slurm_job_id(), ",\"user\":", JsonString(job.owner()),
      ",\"project\":", JsonString(job.project()),
      ",\"cluster\":", JsonString(names.cluster),
      ",\"subCluster\":", JsonString(names.subcluster),
      ",\"partition\":", JsonString(job.partition()), ",\"numNodes\":", nodes);
  AppendPositive("numHwthreads", nodes * job.cpus_per_node(), &text);
  AppendPositive("numAcc", nodes * job.gpus_per_node(), &text);
  AppendPositive("walltime", job.walltime_s(), &text);
  // Whether other jobs were on the nodes is not recorded.
  absl::StrAppend(
      &text, ",\"shared\":\"multi_user\",\"monitoringStatus\":", kArchived,
      ",\"jobState\":\"", JobStateOf(job.result()),
      "\",\"startTime\":", job.started_at_ms() / 1000, ",\"duration\":",
      std::max<int64_t>((job.ended_at_ms() - job.started_at_ms()) / 1000, 1),
      ",\"resources\":[", ResourcesJson(archive),
      "],\"metaData\":{\"jobName\":", JsonString(job.name()),
      SlurmInfoOf(job.result()), "},\"tags\":[],\"statistics\":{");
  bool is_first = true;
  for (const auto& [key, metric] : metrics) {
    CockpitStatistics statistics;
    for (const CockpitSeries& series : metric.series) {
      statistics.Add(series.values);
    }
    absl::StrAppend(&text, is_first ? "" : ",", JsonString(key.first),
                    ":{\"unit\":", UnitJson(metric.unit), ",",
                    statistics.Json(), "}");
    is_first = false;
  }
  return text + "}}\n";
}

std::string SeriesJson(const CockpitSeries& series) {
  CockpitStatistics statistics;
  statistics.Add(series.values);
  std::string text = absl::StrCat("{\"hostname\":", JsonString(series.node));
  if (!series.id.empty()) {
    absl::StrAppend(&text, ",\"id\":", JsonString(series.id));
  }
  absl::StrAppend(&text, ",\"statistics\":{", statistics.Json(), "},\"data\":[",
                  absl::StrJoin(series.values, ",",
                                [](std::string* out, double value) {
                                  *out += std::isnan(value) ? "null"
                                                            : NumberText(value);
                                }),
                  "]}");
  return text;
}

std::string DataJson(const CockpitMetrics& metrics) {
  std::string text = "{";
  std::string name;  // whose scopes are open
  for (const auto& [key, metric] : metrics) {
    if (key.first == name) {
      text += ",";
    } else {
      absl::StrAppend(&text, name.empty() ? "" : "},", JsonString(key.first),
                      ":{");
      name = key.first;
    }
    absl::StrAppend(&text, JsonString(key.second),
                    ":{\"unit\":", UnitJson(metric.unit),
                    ",\"timestep\":", metric.step_s, ",\"series\":[",
                    absl::StrJoin(metric.series, ",",
                                  [](std::string* out, const auto& series) {
                                    *out += SeriesJson(series);
                                  }),
                    "]}");
  }
  return absl::StrCat(text, name.empty() ? "" : "}", "}\n");
}

}  // namespace

absl::StatusOr<std::vector<ExportedFile>> ExportClusterCockpit(
    const JobArchive& archive, const ExportNames& names) {
  const v1::MeasuredJob& job = archive.job();
  if (job.started_at_ms() == 0 || job.ended_at_ms() == 0) {
    return MakeError(query_messages::kExportBeforeEnd);
  }
  if (job.nodes().empty()) return MakeError(query_messages::kExportNoNodes);
  const CockpitMetrics metrics = CockpitMetricsOf(archive);
  return std::vector<ExportedFile>{
      {"meta.json", MetaJson(archive, names, metrics)},
      {"data.json", DataJson(metrics)}};
}

}  // namespace carme::metrics
