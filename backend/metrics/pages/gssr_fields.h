// The fields of gssr-record and of gssr 0.3, and the series that they show.
#ifndef CARME_BACKEND_METRICS_PAGES_GSSR_FIELDS_H_
#define CARME_BACKEND_METRICS_PAGES_GSSR_FIELDS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// Its number is the product of the sample and `factor`.
struct GssrField {
  const char* field;   // of gssr-record, with _min, _avg and _max
  const char* metric;  // of gssr 0.3
  const char* series;
  double factor;
  bool is_whole;       // "%ld", else "%.2f"
  bool is_difference;  // to the row before
};

inline constexpr double kPerMib = 1.0 / (1 << 20);
inline constexpr GssrField kGssrFields[] = {
    {"DEV_GPU_UTIL", "gpu_utilization", "carme_gpu_utilization_ratio", 100,
     true, false},
    {"DEV_FB_FREE", "fb_free", "carme_gpu_memory_free_bytes", kPerMib, true,
     false},
    {"DEV_FB_USED", "fb_used", "carme_gpu_memory_used_bytes", kPerMib, true,
     false},
    {"DEV_FB_RESERVED", "fb_resv", "carme_gpu_memory_reserved_bytes", kPerMib,
     true, false},
    {"PROF_SM_ACTIVE", "sm_active", "carme_gpu_sm_active_ratio", 1, false,
     false},
    {"PROF_SM_OCCUPANCY", "sm_occupancy", "carme_gpu_sm_occupancy_ratio", 1,
     false, false},
    {"PROF_PIPE_TENSOR_ACTIVE", "tensor_active",
     "carme_gpu_tensor_active_ratio", 1, false, false},
    {"PROF_PIPE_FP64_ACTIVE", "fp64_active", "carme_gpu_fp64_active_ratio", 1,
     false, false},
    {"PROF_PIPE_FP32_ACTIVE", "fp32_active", "carme_gpu_fp32_active_ratio", 1,
     false, false},
    {"PROF_PIPE_FP16_ACTIVE", "fp16_active", "carme_gpu_fp16_active_ratio", 1,
     false, false},
    {"PROF_DRAM_ACTIVE", "dram_active", "carme_gpu_dram_active_ratio", 1, false,
     false},
    {"PROF_PCIE_TX_BYTES", "pcie_tx_bytes",
     "carme_gpu_pcie_sent_bytes_per_second", 1, true, false},
    {"PROF_PCIE_RX_BYTES", "pcie_rx_bytes",
     "carme_gpu_pcie_received_bytes_per_second", 1, true, false},
    {"PROF_NVLINK_RX_BYTES", "nvlink_rx_bytes",
     "carme_gpu_nvlink_received_bytes_per_second", 1, true, false},
    {"PROF_NVLINK_TX_BYTES", "nvlink_tx_bytes",
     "carme_gpu_nvlink_sent_bytes_per_second", 1, true, false},
    {"DEV_TOTAL_ENERGY_CONSUMPTION", "energy", "carme_gpu_energy_joules_total",
     1000, true, true},
    {"DEV_POWER_USAGE", "power_usage", "carme_gpu_power_watts", 1, false,
     false},
};

// The series of the GPUs of a node, by GPU and name.
struct NodeGpus {
  std::map<std::pair<std::string, std::string>,
           const archive::v1::ArchivedSeries*>
      series;
  std::set<std::string> gpus;
  int points = 0;          // of the longest series
  int64_t step_s = 1;      // between two points
  int64_t started_ms = 0;  // Unix time of the first point

  const archive::v1::ArchivedSeries* Find(const std::string& gpu,
                                          const GssrField& field) const {
    const auto found = series.find({gpu, field.series});
    return found == series.end() ? nullptr : found->second;
  }
  bool Has(const GssrField& field) const {
    for (const std::string& gpu : gpus) {
      if (Find(gpu, field) != nullptr) return true;
    }
    return false;
  }
};

// By node. The archive must outlive the result.
inline std::map<std::string, NodeGpus> GpusByNode(
    const archive::v1::JobArchive& archive) {
  std::map<std::string, NodeGpus> nodes;
  for (const archive::v1::ArchivedSeries& series : archive.series()) {
    const auto gpu = series.labels().find("gpu");
    if (gpu == series.labels().end() || series.resolutions().empty()) continue;
    NodeGpus& node = nodes[series.node()];
    node.series[{gpu->second, series.name()}] = &series;
    node.gpus.insert(gpu->second);
    const archive::v1::Resolution& points = series.resolutions(0);
    node.points = std::max(node.points, points.values_size());
    node.step_s = points.step_s();
    node.started_ms = points.first_ms();
  }
  return nodes;
}

// The sample at a place; NaN: there is none.
inline double SampleAt(const archive::v1::ArchivedSeries* series, int place) {
  return series != nullptr && place >= 0 &&
                 place < series->resolutions(0).values_size()
             ? series->resolutions(0).values(place)
             : std::nan("");
}

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_GSSR_FIELDS_H_
