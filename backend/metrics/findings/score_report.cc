#include "backend/metrics/findings/score_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/gpu_saturation/evaluation.h"
#include "common/gpu_saturation/saturation.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;
using archive::v1::Resolution;

enum Column : size_t {
  kColumnScore,
  kColumnSmActive,
  kColumnSmOccupancy,
  kColumnTensor,
  kColumnFp16,
  kColumnFp32,
  kColumnFp64,
  kColumnImma,
  kColumnHmma,
  kColumnDfma,
  kColumnInt,
  kColumnUse,
  kColumnPower,
  kColumnPowerLimit,
  kColumnCount
};
constexpr std::array<const char*, kColumnCount> kColumnSeries = {
    "carme_gpu_saturation_ratio",   "carme_gpu_sm_active_ratio",
    "carme_gpu_sm_occupancy_ratio", "carme_gpu_tensor_active_ratio",
    "carme_gpu_fp16_active_ratio",  "carme_gpu_fp32_active_ratio",
    "carme_gpu_fp64_active_ratio",  "carme_gpu_imma_active_ratio",
    "carme_gpu_hmma_active_ratio",  "carme_gpu_dfma_active_ratio",
    "carme_gpu_int_active_ratio",   "carme_gpu_utilization_ratio",
    "carme_gpu_power_watts",        "carme_gpu_power_limit_watts"};
constexpr std::array kComponents = {kColumnSmActive, kColumnSmOccupancy,
                                    kColumnTensor,   kColumnFp16,
                                    kColumnFp32,     kColumnFp64};
// As gssr-analyze adds them up.
constexpr std::array kComputePipes = {kColumnImma, kColumnHmma, kColumnDfma,
                                      kColumnFp64, kColumnFp32, kColumnFp16,
                                      kColumnInt};

constexpr char kRankInfo[] = "carme_gpu_rank_info";
constexpr char kPhase[] = "carme_program_phase";
constexpr char kPhaseLabel[] = "name";
constexpr char kFirstStep[] = "first_step";
constexpr size_t kMaxScoreRows = 256;  // findings.proto
constexpr size_t kMaxPhases = 64;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kEver_ms = std::numeric_limits<int64_t>::max();

class RunningMean {
 public:
  void Add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  std::optional<double> Get() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

// A GPU, and the points of its series; nullptr: not sampled.
struct SampledGpu {
  std::string node;
  std::string number;
  std::array<const Resolution*, kColumnCount> columns{};
};

// Points at times after `from_ms`, up to `to_ms`.
struct TimeSpan {
  int64_t from_ms = -kEver_ms;
  int64_t to_ms = kEver_ms;
};
using TimeSpans = std::vector<TimeSpan>;

// The samples of a GPU in some times.
struct GpuTimes {
  const SampledGpu* gpu;
  TimeSpans spans;
};

// The times of all points.
struct PointTimes {
  int64_t first_ms = 0;
  int64_t step_ms = 0;
  int64_t points = 0;
};

// Numbers in their order, before other texts.
std::pair<int64_t, std::string> NumberKey(const std::string& text) {
  int64_t number = kEver_ms;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return {number, text};
}

std::string LabelOf(const ArchivedSeries& series, const char* name) {
  const auto label = series.labels().find(name);
  return label == series.labels().end() ? "" : label->second;
}

std::vector<SampledGpu> GpusOf(const JobArchive& archive) {
  std::map<std::string_view, size_t> columns;
  for (size_t i = 0; i < kColumnCount; ++i) columns[kColumnSeries[i]] = i;
  std::map<std::pair<std::string, std::pair<int64_t, std::string>>, SampledGpu>
      gpus;
  for (const ArchivedSeries& series : archive.series()) {
    const auto column = columns.find(series.name());
    const std::string number = LabelOf(series, "gpu");
    if (column == columns.end() || number.empty() ||
        series.resolutions().empty()) {
      continue;
    }
    SampledGpu& gpu = gpus[{series.node(), NumberKey(number)}];
    gpu.node = series.node();
    gpu.number = number;
    const Resolution*& points = gpu.columns[column->second];
    if (points == nullptr) points = &series.resolutions(0);
  }
  std::vector<SampledGpu> sorted;
  for (auto& [key, gpu] : gpus) sorted.push_back(std::move(gpu));
  return sorted;
}

PointTimes TimesOf(const std::vector<SampledGpu>& gpus) {
  PointTimes times;
  int64_t end_ms = 0;
  for (const SampledGpu& gpu : gpus) {
    for (const Resolution* const points : gpu.columns) {
      if (points == nullptr || points->values().empty()) continue;
      const int64_t step_ms = int64_t{points->step_s()} * 1000;
      const int64_t last_ms =
          points->first_ms() + step_ms * (points->values_size() - 1);
      if (times.step_ms == 0) {
        times.step_ms = step_ms;
        times.first_ms = points->first_ms();
        end_ms = last_ms;
      }
      times.first_ms = std::min(times.first_ms, points->first_ms());
      end_ms = std::max(end_ms, last_ms);
    }
  }
  if (times.step_ms > 0) {
    times.points = (end_ms - times.first_ms) / times.step_ms + 1;
  }
  return times;
}

double ValueAt(const SampledGpu& gpu, Column column, int64_t at_ms) {
  const Resolution* const points = gpu.columns[column];
  if (points == nullptr || points->step_s() == 0) return kNaN;
  const int64_t step_ms = int64_t{points->step_s()} * 1000;
  const int64_t offset_ms = at_ms - points->first_ms();
  if (offset_ms < 0 || offset_ms % step_ms != 0) return kNaN;
  const int64_t place = offset_ms / step_ms;
  if (place >= points->values_size()) return kNaN;
  return points->values(static_cast<int>(place));
}

bool IsIn(const TimeSpans& spans, int64_t at_ms) {
  return std::any_of(spans.begin(), spans.end(), [at_ms](const TimeSpan& span) {
    return at_ms > span.from_ms && at_ms <= span.to_ms;
  });
}

// Scores and their components.
class ScoreSums {
 public:
  void Add(const SampledGpu& gpu, int64_t at_ms) {
    const double score = ValueAt(gpu, kColumnScore, at_ms);
    std::array<double, kComponents.size()> values{};
    for (size_t i = 0; i < kComponents.size(); ++i) {
      values[i] = ValueAt(gpu, kComponents[i], at_ms);
      if (std::isnan(values[i])) return;
    }
    if (std::isnan(score)) return;
    scores_.push_back(score);
    for (size_t i = 0; i < kComponents.size(); ++i) means_[i].Add(values[i]);
  }

  std::optional<v1::ScoreSummary> Take() {
    const auto score = gpu::Aggregate(std::move(scores_));
    if (!score) return std::nullopt;
    v1::ScoreSummary summary;
    summary.set_mean(score->mean);
    summary.set_median(score->median);
    summary.set_min(score->min);
    summary.set_max(score->max);
    v1::ScoreComponents* const parts = summary.mutable_components();
    parts->set_sm_active(*means_[0].Get());
    parts->set_sm_occupancy(*means_[1].Get());
    parts->set_tensor_active(*means_[2].Get());
    parts->set_fp16_active(*means_[3].Get());
    parts->set_fp32_active(*means_[4].Get());
    parts->set_fp64_active(*means_[5].Get());
    parts->set_flop_active(parts->tensor_active() + parts->fp16_active() +
                           parts->fp32_active() + parts->fp64_active());
    return summary;
  }

 private:
  std::vector<double> scores_;
  std::array<RunningMean, kComponents.size()> means_;
};

// What is rated: means over the GPUs at each time.
class UseSums {
 public:
  explicit UseSums(const PointTimes& times)
      : step_s_(static_cast<double>(times.step_ms) / 1000),
        rows_(static_cast<size_t>(times.points)) {}

  void Add(const SampledGpu& gpu, int64_t at_ms, int64_t point) {
    Row& row = rows_[static_cast<size_t>(point)];
    row.use.Add(ValueAt(gpu, kColumnUse, at_ms) * 100);
    row.power.Add(ValueAt(gpu, kColumnPower, at_ms));
    // A pipe that was not measured would lower the sum.
    double compute = 0;
    for (const Column pipe : kComputePipes) {
      compute += ValueAt(gpu, pipe, at_ms);
    }
    row.compute.Add(compute);
    limit_.Add(ValueAt(gpu, kColumnPowerLimit, at_ms));
  }

  std::optional<v1::GpuUseRatings> Get() const;

 private:
  struct Row {
    RunningMean use, compute, power;
  };
  double step_s_;
  std::vector<Row> rows_;  // by point
  RunningMean limit_;
};

v1::RatedUse::Rating RatingOf(gpu::Rating rating) {
  switch (rating) {
    case gpu::Rating::kPoor:
      return v1::RatedUse::RATING_POOR;
    case gpu::Rating::kImprove:
      return v1::RatedUse::RATING_IMPROVE;
    case gpu::Rating::kAcceptable:
      return v1::RatedUse::RATING_ACCEPTABLE;
    case gpu::Rating::kGood:
      return v1::RatedUse::RATING_GOOD;
  }
  return v1::RatedUse::RATING_UNSPECIFIED;
}

v1::RatedUse UseOf(const gpu::RatedValue& rated) {
  v1::RatedUse use;
  use.set_value(rated.value);
  use.set_rating(RatingOf(rated.rating));
  return use;
}

std::optional<v1::GpuUseRatings> UseSums::Get() const {
  std::vector<gpu::EvaluationRow> rows;
  for (size_t point = 0; point < rows_.size(); ++point) {
    const Row& row = rows_[point];
    gpu::EvaluationRow& means = rows.emplace_back();
    means.time_s = static_cast<double>(point) * step_s_;
    means.gpu_util_percent = row.use.Get();
    means.compute_activity = row.compute.Get();
    means.power_w = row.power.Get();
    if (!means.gpu_util_percent && !means.compute_activity && !means.power_w) {
      rows.pop_back();
    }
  }
  const gpu::GpuUseEvaluation rated = gpu::Evaluate(rows, limit_.Get());
  v1::GpuUseRatings ratings;
  bool is_rated = false;
  const auto set = [&](const std::optional<gpu::RatedValue>& value,
                       v1::RatedUse* (v1::GpuUseRatings::*field)()) {
    if (!value) return;
    is_rated = true;
    *(ratings.*field)() = UseOf(*value);
  };
  set(rated.gpu_start, &v1::GpuUseRatings::mutable_start);
  set(rated.total.gpu_util, &v1::GpuUseRatings::mutable_utilization);
  set(rated.total.compute, &v1::GpuUseRatings::mutable_compute);
  set(rated.total.power, &v1::GpuUseRatings::mutable_power);
  if (rated.total.power) ratings.set_power_limit_watts(*limit_.Get());
  if (!is_rated) return std::nullopt;
  return ratings;
}

v1::ScoreRow RowOf(const std::vector<GpuTimes>& parts,
                   const PointTimes& times) {
  ScoreSums scores;
  UseSums uses(times);
  for (const GpuTimes& part : parts) {
    for (int64_t point = 0; point < times.points; ++point) {
      const int64_t at_ms = times.first_ms + point * times.step_ms;
      if (!IsIn(part.spans, at_ms)) continue;
      scores.Add(*part.gpu, at_ms);
      uses.Add(*part.gpu, at_ms, point);
    }
  }
  v1::ScoreRow row;
  if (auto score = scores.Take()) *row.mutable_score() = *std::move(score);
  if (auto rated = uses.Get()) *row.mutable_ratings() = *std::move(rated);
  return row;
}

// A rank, in the order of rows.
struct RankKey {
  std::pair<int64_t, std::string> step;
  std::pair<int64_t, std::string> rank;
  std::string node;
  bool operator<(const RankKey& other) const {
    return std::tie(step, rank, node) <
           std::tie(other.step, other.rank, other.node);
  }
};

// From the first to the last time that its processes were seen on each GPU.
std::map<RankKey, std::vector<GpuTimes>> RanksOf(
    const JobArchive& archive, const std::vector<SampledGpu>& gpus) {
  std::map<std::pair<std::string_view, std::string_view>, const SampledGpu*>
      by_name;
  for (const SampledGpu& gpu : gpus) by_name[{gpu.node, gpu.number}] = &gpu;
  std::map<RankKey, std::vector<GpuTimes>> ranks;
  for (const ArchivedSeries& series : archive.series()) {
    if (series.name() != kRankInfo || series.resolutions().empty()) continue;
    const std::string number = LabelOf(series, "gpu");
    const auto gpu = by_name.find({series.node(), number});
    const std::string rank = LabelOf(series, "rank");
    if (gpu == by_name.end() || rank.empty()) continue;
    const Resolution& points = series.resolutions(0);
    const int64_t step_ms = int64_t{points.step_s()} * 1000;
    std::optional<TimeSpan> span;
    for (int i = 0; i < points.values_size(); ++i) {
      if (!(points.values(i) > 0)) continue;
      const int64_t at_ms = points.first_ms() + i * step_ms;
      if (!span) span = TimeSpan{.from_ms = at_ms - step_ms};
      span->to_ms = at_ms;
    }
    if (!span) continue;
    ranks[{NumberKey(LabelOf(series, "step")), NumberKey(rank), series.node()}]
        .push_back({gpu->second, {*span}});
  }
  return ranks;
}

bool Overlap(const TimeSpan& one, const TimeSpan& other) {
  return one.from_ms < other.to_ms && other.from_ms < one.to_ms;
}

void AddRanks(const JobArchive& archive, const std::vector<SampledGpu>& gpus,
              const PointTimes& times, v1::ScoreReport* report) {
  const auto ranks = RanksOf(archive, gpus);
  std::map<const SampledGpu*, TimeSpans> uses;
  for (const auto& [key, parts] : ranks) {
    for (const GpuTimes& part : parts) {
      uses[part.gpu].push_back(part.spans.front());
    }
  }
  for (const auto& [key, parts] : ranks) {
    v1::ScoreRow row = RowOf(parts, times);
    row.set_node(key.node);
    row.set_step(key.step.second);
    row.set_rank(key.rank.second);
    for (const GpuTimes& part : parts) {
      row.add_gpus(part.gpu->number);
      const TimeSpans& all = uses[part.gpu];
      // The rank itself is one of them.
      const auto count =
          std::count_if(all.begin(), all.end(), [&](const TimeSpan& span) {
            return Overlap(span, part.spans.front());
          });
      if (count > 1) row.set_is_shared(true);
    }
    *report->add_ranks() = std::move(row);
  }
}

struct NamedPhase {
  std::string name;
  TimeSpans spans;
};

// The phases that the program reports: one begins with a value of 1, and ends
// with 0 or when another begins. The mean of a larger step is between the two
// for a phase that ended in the step in which it began.
std::vector<NamedPhase> PhasesOf(const JobArchive& archive) {
  struct Mark {
    int64_t at_ms, step_ms;
    std::string name;
    double value;
  };
  std::vector<Mark> marks;
  for (const ArchivedSeries& series : archive.series()) {
    const std::string name = LabelOf(series, kPhaseLabel);
    if (series.name() != kPhase || name.empty() ||
        series.resolutions().empty()) {
      continue;
    }
    const Resolution& points = series.resolutions(0);
    const int64_t step_ms = int64_t{points.step_s()} * 1000;
    for (int i = 0; i < points.values_size(); ++i) {
      if (std::isnan(points.values(i))) continue;
      marks.push_back(
          {points.first_ms() + i * step_ms, step_ms, name, points.values(i)});
    }
  }
  // An end before the begin of the next phase.
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.at_ms, a.value, a.name) <
           std::tie(b.at_ms, b.value, b.name);
  });
  std::vector<NamedPhase> phases;
  const auto spans_of = [&phases](const std::string& name) {
    auto phase = std::find_if(phases.begin(), phases.end(),
                              [&](const auto& p) { return p.name == name; });
    if (phase == phases.end()) {
      phase = phases.insert(phases.end(), {.name = name, .spans = {}});
    }
    return &phase->spans;
  };
  std::optional<Mark> current;
  const auto end = [&](int64_t at_ms) {
    if (!current) return;
    const int64_t from_ms = current->at_ms - current->step_ms;
    if (from_ms < at_ms) spans_of(current->name)->push_back({from_ms, at_ms});
    current.reset();
  };
  for (const Mark& mark : marks) {
    const int64_t before_ms = mark.at_ms - mark.step_ms;
    if (mark.value >= 1) {
      if (current && current->name == mark.name) continue;
      end(before_ms);
      current = mark;
      continue;
    }
    const bool is_current = current && current->name == mark.name;
    if (mark.value > 0 && !is_current) {
      end(before_ms);
      spans_of(mark.name)->push_back({before_ms, mark.at_ms});
    } else if (is_current) {
      end(mark.value > 0 ? mark.at_ms : before_ms);
    }
  }
  end(kEver_ms);
  if (phases.size() > kMaxPhases) phases.resize(kMaxPhases);
  return phases;
}

void AddPhase(const std::vector<SampledGpu>& gpus, const PointTimes& times,
              const NamedPhase& phase, v1::ScoreRow::Phase kind,
              v1::ScoreReport* report) {
  std::vector<GpuTimes> parts;
  for (const SampledGpu& gpu : gpus) parts.push_back({&gpu, phase.spans});
  v1::ScoreRow row = RowOf(parts, times);
  // It says when a whole run begins to use its GPUs.
  if (row.has_ratings()) row.mutable_ratings()->clear_start();
  row.set_phase(kind);
  row.set_phase_name(phase.name);
  int64_t length_ms = 0;
  const int64_t last_ms = times.first_ms + (times.points - 1) * times.step_ms;
  for (const TimeSpan& span : phase.spans) {
    length_ms += std::max<int64_t>(
        std::min(span.to_ms, last_ms) - std::max(span.from_ms, times.first_ms),
        0);
  }
  row.set_length_s(length_ms / 1000);
  *report->add_phases() = std::move(row);
}

void AddPhases(const JobArchive& archive, const std::vector<SampledGpu>& gpus,
               const PointTimes& times, v1::ScoreReport* report) {
  std::optional<int64_t> first_step_ms;
  for (const v1::NodeEvent& event : archive.events()) {
    if (event.kind() != kFirstStep) continue;
    first_step_ms =
        std::min(first_step_ms.value_or(event.time_ms()), event.time_ms());
  }
  if (first_step_ms) {
    // The program chooses the times of its events.
    first_step_ms = std::clamp(*first_step_ms, times.first_ms - times.step_ms,
                               times.first_ms + times.points * times.step_ms);
    AddPhase(gpus, times, {.name = "", .spans = {{.to_ms = *first_step_ms}}},
             v1::ScoreRow::PHASE_BEFORE_FIRST_STEP, report);
    AddPhase(gpus, times, {.name = "", .spans = {{.from_ms = *first_step_ms}}},
             v1::ScoreRow::PHASE_FROM_FIRST_STEP, report);
  }
  for (const NamedPhase& phase : PhasesOf(archive)) {
    AddPhase(gpus, times, phase, v1::ScoreRow::PHASE_OF_PROGRAM, report);
  }
}

// Keeps the order of the rows that stay. Returns how many do not.
uint32_t CutRows(google::protobuf::RepeatedPtrField<v1::ScoreRow>* rows) {
  const auto count = static_cast<size_t>(rows->size());
  if (count <= kMaxScoreRows) return 0;
  std::vector<int> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<int>(i);
  const auto score = [&](int i) {
    const v1::ScoreRow& row = rows->Get(i);
    return row.has_score() ? row.score().mean() : 1;  // scores are below
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return score(a) < score(b); });
  order.resize(kMaxScoreRows);
  std::sort(order.begin(), order.end());
  google::protobuf::RepeatedPtrField<v1::ScoreRow> kept;
  for (const int i : order) kept.Add(std::move(*rows->Mutable(i)));
  rows->Swap(&kept);
  return static_cast<uint32_t>(count - kMaxScoreRows);
}

}  // namespace

std::set<std::string> ScoreSeries() {
  std::set<std::string> names(kColumnSeries.begin(), kColumnSeries.end());
  names.insert({kRankInfo, kPhase});
  return names;
}

void AddScores(const JobArchive& archive, v1::JobReceipt* receipt) {
  const std::vector<SampledGpu> gpus = GpusOf(archive);
  const PointTimes times = TimesOf(gpus);
  if (times.points == 0) return;
  std::vector<GpuTimes> all;
  for (const SampledGpu& gpu : gpus) all.push_back({&gpu, {TimeSpan{}}});
  v1::ScoreRow job = RowOf(all, times);
  if (!job.has_score() && !job.has_ratings()) return;
  if (job.has_score()) *receipt->mutable_score() = job.score();
  if (job.has_ratings()) *receipt->mutable_ratings() = job.ratings();
  v1::ScoreReport* const report = receipt->mutable_report();
  for (const GpuTimes& part : all) {
    v1::ScoreRow row = RowOf({part}, times);
    row.set_node(part.gpu->node);
    row.add_gpus(part.gpu->number);
    *report->add_gpus() = std::move(row);
  }
  report->set_omitted_gpus(CutRows(report->mutable_gpus()));
  AddRanks(archive, gpus, times, report);
  report->set_omitted_ranks(CutRows(report->mutable_ranks()));
  AddPhases(archive, gpus, times, report);
}

}  // namespace carme::metrics
