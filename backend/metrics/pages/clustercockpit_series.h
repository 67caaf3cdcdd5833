// The series of a job under the names and in the units of ClusterCockpit. Pure.
#ifndef CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_SERIES_H_
#define CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_SERIES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

struct CockpitUnit {
  std::string base;    // of unit.schema.json
  std::string prefix;  // empty: none
};

struct CockpitSeries {
  std::string node;
  std::string id;              // the GPU, or the labels; empty: one for a node
  std::vector<double> values;  // NaN: no sample
};

struct CockpitMetric {
  CockpitUnit unit;
  int64_t step_s = 1;
  std::vector<CockpitSeries> series;  // by node and id
};

// By name and scope, "node" or "accelerator". Series without a name of
// ClusterCockpit keep Carme's, counters without "_total". Series without a
// value are left out.
std::map<std::pair<std::string, std::string>, CockpitMetric> CockpitMetricsOf(
    const archive::v1::JobArchive& archive);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_SERIES_H_
