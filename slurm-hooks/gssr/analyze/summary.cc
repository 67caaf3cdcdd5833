#include "slurm-hooks/gssr/analyze/summary.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace carme::gssr {
namespace {

using SeriesList = std::vector<const GpuSeries*>;

constexpr double kWattHoursPerMillijoule = 1e-3 / 3600;

std::optional<double> SumOfTensorKinds(const RecordedSample& sample) {
  const auto imma = sample.Find("imma_active");
  const auto hmma = sample.Find("hmma_active");
  const auto dfma = sample.Find("dfma_active");
  if (!imma || !hmma || !dfma) return std::nullopt;
  return *imma + *hmma + *dfma;
}

std::optional<double> TensorActivity(const RecordedSample& sample) {
  if (const auto any = sample.Find("tensor_active")) return any;
  return SumOfTensorKinds(sample);
}

Summary SummarizeScope(std::string scope, const SeriesList& list) {
  std::map<std::string, std::vector<double>> values;
  std::vector<double> scores, a, o, f;
  std::optional<double> energy_mj;
  for (const GpuSeries* const series : list) {
    for (const RecordedSample& sample : series->samples) {
      for (const auto& [name, value] : sample.values) {
        values[name].push_back(value);
      }
      if (const auto energy = sample.Find("energy")) {
        energy_mj = energy_mj.value_or(0) + *energy;
      }
      if (const auto input = ScoreInput(sample)) {
        scores.push_back(gpu::Saturation(*input));
        a.push_back(input->sm_active);
        o.push_back(input->sm_occupancy);
        f.push_back(input->flop_active);
      }
    }
  }
  Summary summary{.scope = std::move(scope)};
  for (auto& [name, all] : values) {
    summary.metrics[name] = *gpu::Aggregate(std::move(all));
  }
  summary.score = gpu::Aggregate(std::move(scores));
  summary.sm_active = gpu::Aggregate(std::move(a));
  summary.sm_occupancy = gpu::Aggregate(std::move(o));
  summary.flop_active = gpu::Aggregate(std::move(f));
  if (energy_mj) summary.energy_wh = *energy_mj * kWattHoursPerMillijoule;
  return summary;
}

std::optional<double> ComputeActivity(const RecordedSample& sample) {
  // The public ratings add the kinds.
  auto tensor = SumOfTensorKinds(sample);
  if (!tensor) tensor = TensorActivity(sample);
  const auto fp64 = sample.Find("fp64_active");
  const auto fp32 = sample.Find("fp32_active");
  const auto fp16 = sample.Find("fp16_active");
  if (!tensor || !fp64 || !fp32 || !fp16) return std::nullopt;
  // Older recordings have no activity of the integer pipe.
  return *tensor + *fp64 + *fp32 + *fp16 +
         sample.Find("int_active").value_or(0);
}

std::vector<gpu::EvaluationRow> RowsOf(const SeriesList& list) {
  std::vector<gpu::EvaluationRow> rows;
  for (const GpuSeries* const series : list) {
    for (const RecordedSample& sample : series->samples) {
      rows.push_back({.time_s = sample.time_s,
                      .gpu_util_percent = sample.Find("gpu_utilization"),
                      .compute_activity = ComputeActivity(sample),
                      .power_w = sample.Find("power_usage")});
    }
  }
  return rows;
}

}  // namespace

std::optional<gpu::SaturationInput> ScoreInput(const RecordedSample& sample) {
  return gpu::ToSaturationInput({.sm_active = sample.Find("sm_active"),
                                 .sm_occupancy = sample.Find("sm_occupancy"),
                                 .tensor = TensorActivity(sample),
                                 .fp64 = sample.Find("fp64_active"),
                                 .fp32 = sample.Find("fp32_active"),
                                 .fp16 = sample.Find("fp16_active")});
}

std::vector<JobSummary> Summarize(const Recordings& recordings) {
  std::map<std::string, SeriesList> jobs;
  for (const GpuSeries& series : recordings.series) {
    jobs[series.job_id].push_back(&series);
  }
  std::vector<JobSummary> summaries;
  for (const auto& [job, list] : jobs) {
    JobSummary summary;
    summary.job = SummarizeScope(absl::StrCat("job ", job), list);
    std::map<std::string, SeriesList> ranks, steps;
    std::set<std::string> drivers;
    std::optional<double> lowest, highest, power_limit_w;
    for (const GpuSeries* const series : list) {
      const std::string rank =
          absl::StrCat(job, ".", series->step_id, "/", series->process_id);
      ranks[rank].push_back(series);
      steps[series->step_id].push_back(series);
      if (!series->driver.empty()) drivers.insert(series->driver);
      if (!series->hostname.empty()) summary.hosts.insert(series->hostname);
      if (summary.label.empty()) summary.label = series->label;
      if (summary.command.empty()) summary.command = series->command;
      if (series->started &&
          (!summary.started || *series->started < *summary.started)) {
        summary.started = series->started;
        summary.label = series->label;
        summary.command = series->command;
      }
      summary.gpus.push_back(SummarizeScope(
          absl::StrCat("GPU ", rank, "/", series->gpu_id), {series}));
      const auto& metrics = summary.gpus.back().metrics;
      if (const auto use = metrics.find("gpu_utilization");
          use != metrics.end()) {
        const double mean = use->second.mean;
        lowest = std::min(lowest.value_or(mean), mean);
        highest = std::max(highest.value_or(mean), mean);
      }
      if (series->power_limit_w) power_limit_w = series->power_limit_w;
    }
    for (const auto& [rank, of_rank] : ranks) {
      summary.ranks.push_back(
          SummarizeScope(absl::StrCat("rank ", rank), of_rank));
    }
    summary.drivers.assign(drivers.begin(), drivers.end());
    if (highest && *highest > 0) summary.load_balance = *lowest / *highest;
    for (const auto& [step, of_step] : steps) {
      summary.evaluations[absl::StrCat(job, ".", step)] =
          gpu::Evaluate(RowsOf(of_step), power_limit_w);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace carme::gssr
