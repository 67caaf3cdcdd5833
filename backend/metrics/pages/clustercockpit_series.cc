#include "backend/metrics/pages/clustercockpit_series.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "backend/metrics/archive/reduction.h"
#include "backend/metrics/pages/export_text.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr char kAccelerator[] = "accelerator";
constexpr char kRdma[] = "carme_node_rdma_";

// A metric of ClusterCockpit: of a node, the sum of the series of all devices.
struct CockpitName {
  const char* name;
  const char* series;
  double factor;
  const char* base;
  const char* prefix;
};
constexpr double kPerGiga = 1e-9;
constexpr CockpitName kCockpitNames[] = {
    // Divided by the CPUs of the job.
    {"cpu_user", "carme_job_cpu_user_seconds_total", 100, "", ""},
    {"mem_used", "carme_job_memory_bytes", kPerGiga, "B", "G"},
    {"net_bw", "carme_node_rdma_received_bytes_total", 1, "B/s", ""},
    {"net_bw", "carme_node_rdma_sent_bytes_total", 1, "B/s", ""},
    {"net_bw", "carme_node_network_received_bytes_total", 1, "B/s", ""},
    {"net_bw", "carme_node_network_sent_bytes_total", 1, "B/s", ""},
    {"ib_recv", "carme_node_rdma_received_bytes_total", 1, "B/s", ""},
    {"ib_xmit", "carme_node_rdma_sent_bytes_total", 1, "B/s", ""},
    {"eth_read_bw", "carme_node_network_received_bytes_total", 1, "B/s", ""},
    {"eth_write_bw", "carme_node_network_sent_bytes_total", 1, "B/s", ""},
    {"acc_utilization", "carme_gpu_utilization_ratio", 100, "", ""},
    {"acc_mem_used", "carme_gpu_memory_used_bytes", kPerGiga, "B", "G"},
    {"acc_power", "carme_gpu_power_watts", 1, "W", ""},
    {"nv_temp", "carme_gpu_temperature_celsius", 1, "°C", ""},
    {"nv_sm_clock", "carme_gpu_sm_clock_hertz", 1e-6, "Hz", "M"},
};

// Interfaces whose bytes others carry as well, or that do not leave the node.
bool IsVirtualInterface(std::string_view device) {
  for (const std::string_view prefix :
       {"lo", "bond", "br", "cni", "docker", "podman", "team", "tap", "tun",
        "veth", "virbr", "vlan"}) {
    if (device.starts_with(prefix)) return true;
  }
  return device.find('.') != std::string_view::npos;
}

// The values; of a counter, its increase a second since the sample before. A
// counter that fell was reset: its increase is not known.
std::vector<double> ValuesOf(const ArchivedSeries& series) {
  const archive::v1::Resolution& points = series.resolutions(0);
  std::vector<double> values(points.values().begin(), points.values().end());
  if (!IsCounter(series.name())) return values;
  std::vector<double> rates(values.size(), kMissing);
  size_t before = values.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (before < i && values[i] >= values[before]) {
      rates[i] = (values[i] - values[before]) /
                 (static_cast<double>(i - before) * points.step_s());
    }
    before = i;
  }
  return rates;
}

// Adds values; what one of them lacks, the sum lacks unless it has none yet.
void AddTo(const std::vector<double>& values, double factor,
           std::vector<double>* sum) {
  sum->resize(std::max(sum->size(), values.size()), kMissing);
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    double& at = (*sum)[i];
    at = (std::isnan(at) ? 0 : at) + values[i] * factor;
  }
}

CockpitUnit OwnUnitOf(std::string_view name) {
  const bool is_rate = IsCounter(name);
  if (is_rate) name.remove_suffix(sizeof("_total") - 1);
  if (name.ends_with("bytes_per_second")) return {"B/s", ""};
  if (name.ends_with("bytes")) return {is_rate ? "B/s" : "B", ""};
  if (name.ends_with("joules")) return {is_rate ? "W" : "J", ""};
  if (name.ends_with("watts")) return {"W", ""};
  if (name.ends_with("celsius")) return {"°C", ""};
  if (name.ends_with("hertz")) return {"Hz", ""};
  return {"", ""};
}

class MetricsBuilder {
 public:
  explicit MetricsBuilder(const archive::v1::JobArchive& archive)
      : archive_(archive) {
    for (const ArchivedSeries& series : archive.series()) {
      has_rdma_ = has_rdma_ || series.name().starts_with(kRdma);
    }
  }

  std::map<std::pair<std::string, std::string>, CockpitMetric> Build() {
    for (const ArchivedSeries& series : archive_.series()) {
      if (!series.resolutions().empty()) Add(series);
    }
    std::map<std::pair<std::string, std::string>, CockpitMetric> metrics;
    for (auto& [key, by_id] : values_) {
      CockpitMetric metric = std::move(metrics_[key]);
      for (auto& [id, values] : by_id) {
        const bool has_any =
            std::any_of(values.begin(), values.end(),
                        [](double value) { return !std::isnan(value); });
        if (has_any) {
          metric.series.push_back({id.first, id.second, std::move(values)});
        }
      }
      if (!metric.series.empty()) metrics[key] = std::move(metric);
    }
    return metrics;
  }

 private:
  void Add(const ArchivedSeries& series) {
    const auto gpu = series.labels().find("gpu");
    const bool is_gpu = gpu != series.labels().end();
    const std::string scope = is_gpu ? kAccelerator : "node";
    const std::vector<double> values = ValuesOf(series);
    bool is_named = false;
    for (const CockpitName& entry : kCockpitNames) {
      if (series.name() != entry.series) continue;
      is_named = true;
      if (!IsIn(entry, series)) continue;
      AddValues(series, {entry.name, scope}, is_gpu ? gpu->second : "",
                {entry.base, entry.prefix}, values, FactorOf(entry));
    }
    if (is_named) return;
    std::string name = series.name();
    if (IsCounter(name)) name.resize(name.size() - (sizeof("_total") - 1));
    AddValues(series, {name, scope},
              is_gpu ? gpu->second : LabelText(series.labels()),
              OwnUnitOf(series.name()), values, 1);
  }

  // net_bw is the fast network: RDMA's, otherwise that of the interfaces.
  bool IsIn(const CockpitName& entry, const ArchivedSeries& series) const {
    const bool is_rdma = series.name().starts_with(kRdma);
    if (std::string_view(entry.name) == "net_bw" && has_rdma_ && !is_rdma) {
      return false;
    }
    const auto device = series.labels().find("device");
    return is_rdma || device == series.labels().end() ||
           !IsVirtualInterface(device->second);
  }

  double FactorOf(const CockpitName& entry) const {
    if (std::string_view(entry.name) != "cpu_user") return entry.factor;
    return entry.factor / std::max(archive_.job().cpus_per_node(), 1u);
  }

  void AddValues(const ArchivedSeries& series,
                 const std::pair<std::string, std::string>& key,
                 const std::string& id, const CockpitUnit& unit,
                 const std::vector<double>& values, double factor) {
    CockpitMetric& metric = metrics_[key];
    metric.unit = unit;
    metric.step_s = series.resolutions(0).step_s();
    AddTo(values, factor, &values_[key][{series.node(), id}]);
  }

  const archive::v1::JobArchive& archive_;
  bool has_rdma_ = false;
  std::map<std::pair<std::string, std::string>, CockpitMetric> metrics_;
  std::map<std::pair<std::string, std::string>,
           std::map<std::pair<std::string, std::string>, std::vector<double>>>
      values_;
};

}  // namespace

std::map<std::pair<std::string, std::string>, CockpitMetric> CockpitMetricsOf(
    const archive::v1::JobArchive& archive) {
  return MetricsBuilder(archive).Build();
}

}  // namespace carme::metrics
