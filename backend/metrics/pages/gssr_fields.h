// The series that the fields of gssr-record and of gssr 0.3 show.
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
#include "common/gssr/recording_fields.h"

namespace carme::metrics {

// The series of the GPUs of a node, by GPU and name.
struct NodeGpus {
  std::map<std::pair<std::string, std::string>,
           const archive::v1::ArchivedSeries*>
      series;
  std::set<std::string> gpus;
  int points = 0;          // of the longest series
  int64_t step_s = 1;      // between two points
  int64_t started_ms = 0;  // Unix time of the first point

  const archive::v1::ArchivedSeries* Find(
      const std::string& gpu, const gssr::RecordingField& field) const {
    const auto found = series.find({gpu, field.series});
    return found == series.end() ? nullptr : found->second;
  }
  bool Has(const gssr::RecordingField& field) const {
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

// The increase of a counter since the sample before, which may be some places
// earlier: no energy is lost in a gap. NaN: there is none, or the counter fell.
inline double IncreaseAt(const archive::v1::ArchivedSeries* series, int place) {
  const double value = SampleAt(series, place);
  if (std::isnan(value)) return value;
  double before = std::nan("");
  for (int i = place - 1; i >= 0 && std::isnan(before); --i) {
    before = SampleAt(series, i);
  }
  return value < before ? std::nan("") : value - before;
}

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_GSSR_FIELDS_H_
