#include "slurm-hooks/gssr/analyze/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carme::gssr {
namespace {

using ValuesByTime = std::map<double, std::vector<double>>;

// Linear between neighbours. `sorted` is not empty.
double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - std::floor(at);
  return sorted[below] + (sorted[above] - sorted[below]) * part;
}

QuantilePoint Merge(const std::vector<QuantilePoint>& points, size_t first,
                    size_t end) {
  QuantilePoint merged = points[first];
  merged.q50 = 0;
  for (size_t i = first; i < end; ++i) {
    merged.q10 = std::min(merged.q10, points[i].q10);
    merged.q50 += points[i].q50;
    merged.q90 = std::max(merged.q90, points[i].q90);
  }
  merged.q50 /= static_cast<double>(end - first);
  return merged;
}

std::vector<QuantilePoint> PointsOf(ValuesByTime& values, size_t max_points) {
  std::vector<QuantilePoint> points;
  for (auto& [time_s, of_time] : values) {
    std::sort(of_time.begin(), of_time.end());
    points.push_back({.time_s = time_s,
                      .q10 = Quantile(of_time, 0.1),
                      .q50 = Quantile(of_time, 0.5),
                      .q90 = Quantile(of_time, 0.9)});
  }
  const size_t width = (points.size() + max_points - 1) / max_points;
  if (width <= 1) return points;
  std::vector<QuantilePoint> merged;
  for (size_t i = 0; i < points.size(); i += width) {
    merged.push_back(Merge(points, i, std::min(i + width, points.size())));
  }
  return merged;
}

}  // namespace

std::vector<StepTimeline> Timelines(const Recordings& recordings,
                                    size_t max_points) {
  struct Step {
    size_t gpus = 0;
    std::map<std::string, ValuesByTime> metrics;
  };
  std::map<std::pair<std::string, std::string>, Step> steps;
  for (const GpuSeries& series : recordings.series) {
    Step& step = steps[{series.job_id, series.step_id}];
    ++step.gpus;
    for (const RecordedSample& sample : series.samples) {
      for (const auto& [name, value] : sample.values) {
        step.metrics[name][sample.time_s].push_back(value);
      }
    }
  }
  std::vector<StepTimeline> timelines;
  for (auto& [key, step] : steps) {
    StepTimeline& timeline = timelines.emplace_back();
    timeline.job_id = key.first;
    timeline.step_id = key.second;
    timeline.gpus = step.gpus;
    for (auto& [name, values] : step.metrics) {
      timeline.metrics[name] = PointsOf(values, max_points);
    }
  }
  return timelines;
}

}  // namespace carme::gssr
