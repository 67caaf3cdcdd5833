#include "backend/metrics/findings/job_receipt.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/gpu_saturation/saturation.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;

constexpr char kCpu[] = "carme_job_cpu_seconds_total";
constexpr char kMemory[] = "carme_job_memory_bytes";
constexpr char kAnonymous[] = "carme_job_memory_anonymous_bytes";
constexpr char kShared[] = "carme_job_memory_shared_bytes";
constexpr char kMemoryLimit[] = "carme_job_memory_limit_bytes";
constexpr char kGpuUse[] = "carme_gpu_utilization_ratio";
constexpr char kEnergy[] = "carme_gpu_energy_joules_total";
constexpr char kScore[] = "carme_gpu_saturation_ratio";
constexpr const char* kUsed[] = {kCpu,
                                 kMemory,
                                 kGpuUse,
                                 "carme_gpu_memory_used_bytes",
                                 "carme_gpu_power_watts",
                                 "carme_gpu_sm_active_ratio",
                                 "carme_gpu_dram_active_ratio",
                                 "carme_gpu_tensor_active_ratio"};

constexpr double kMemoryMargin = 1.2;
constexpr double kWalltimeMargin = 1.2;
constexpr int64_t kWalltimeStep_s = 600;
constexpr char kTimeLimit[] = "time_limit";  // MeasuredJob.result
constexpr int64_t kGib = int64_t{1} << 30;
// A driver reports some percent for a GPU that computes nothing.
constexpr double kUsedGpu = 0.05;
// Shorter bursts of CPU use are due to the times of samples.
constexpr double kMinRateSeconds = 1;
constexpr int kMaxRuleNodes = 32;  // findings.proto

// The job as a whole, not one of its steps.
bool IsOfJob(const ArchivedSeries& series, std::string_view name) {
  return series.name() == name && !series.resolutions().empty() &&
         !series.labels().contains("step");
}

// The values that are there; of a counter, its rates a second.
std::vector<double> ValuesOf(const ArchivedSeries& series) {
  const archive::v1::Resolution& points = series.resolutions(0);
  std::vector<double> values;
  if (!series.name().ends_with("_total")) {
    for (const double value : points.values()) {
      if (!std::isnan(value)) values.push_back(value);
    }
    return values;
  }
  double time_s = 0, last = 0, last_s = 0;
  bool has_last = false;
  for (const double value : points.values()) {
    time_s += points.step_s();
    if (std::isnan(value)) continue;
    const double length_s = time_s - last_s;
    if (has_last && value >= last && length_s >= kMinRateSeconds) {
      values.push_back((value - last) / length_s);
    }
    last = value;
    last_s = time_s;
    has_last = true;
  }
  return values;
}

// Sorts `values`, which are at least one.
double Quantile(double quantile, std::vector<double>* values) {
  std::sort(values->begin(), values->end());
  const double place = quantile * static_cast<double>(values->size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values->size() - 1);
  const double part = place - static_cast<double>(below);
  return (*values)[below] * (1 - part) + (*values)[above] * part;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void AddUse(const JobArchive& archive, const char* name,
            v1::JobReceipt* receipt) {
  std::vector<double> all;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, name)) continue;
    const std::vector<double> values = ValuesOf(series);
    all.insert(all.end(), values.begin(), values.end());
  }
  if (all.empty()) return;
  v1::ResourceUse* use = receipt->add_used();
  use->set_series(name);
  use->set_mean(Mean(all));
  use->set_median(Quantile(0.5, &all));
  use->set_quantile_90(Quantile(0.9, &all));
  use->set_quantile_99(Quantile(0.99, &all));
  use->set_peak(all.back());
}

// By node: the largest value of a series.
std::map<std::string, double> PeakByNode(const JobArchive& archive,
                                         const char* name) {
  std::map<std::string, double> peaks;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, name)) continue;
    for (const double value : ValuesOf(series)) {
      double& peak = peaks.emplace(series.node(), value).first->second;
      peak = std::max(peak, value);
    }
  }
  return peaks;
}

std::optional<double> MemoryNeeded(const JobArchive& archive) {
  std::map<std::string, double> peaks = PeakByNode(archive, kAnonymous);
  if (peaks.empty()) {
    peaks = PeakByNode(archive, kMemory);
  } else {
    for (const auto& [node, shared] : PeakByNode(archive, kShared)) {
      peaks[node] += shared;
    }
  }
  std::optional<double> needed;
  for (const auto& [node, peak] : peaks) {
    needed = std::max(needed.value_or(0), peak);
  }
  return needed;
}

std::optional<double> CpusNeeded(const JobArchive& archive) {
  std::optional<double> needed;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kCpu)) continue;
    std::vector<double> rates = ValuesOf(series);
    if (rates.empty()) continue;
    needed = std::max(needed.value_or(0), Quantile(0.99, &rates));
  }
  return needed;
}

std::optional<size_t> GpusNeeded(const JobArchive& archive) {
  std::map<std::string, std::set<std::string>> used;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kGpuUse)) continue;
    std::set<std::string>& of_node = used[series.node()];
    for (const double value : ValuesOf(series)) {
      const auto gpu = series.labels().find("gpu");
      if (value <= kUsedGpu || gpu == series.labels().end()) continue;
      of_node.insert(gpu->second);
      break;
    }
  }
  std::optional<size_t> needed;
  for (const auto& [node, gpus] : used) {
    needed = std::max(needed.value_or(0), gpus.size());
  }
  return needed;
}

void SetResources(const JobArchive& archive, v1::JobReceipt* receipt) {
  const v1::MeasuredJob& job = archive.job();
  v1::JobResources* asked = receipt->mutable_asked();
  asked->set_nodes(static_cast<uint32_t>(job.nodes_size()));
  if (job.cpus_per_node() != 0) asked->set_cpus_per_node(job.cpus_per_node());
  asked->set_gpus_per_node(job.gpus_per_node());
  for (const auto& [node, limit] : PeakByNode(archive, kMemoryLimit)) {
    asked->set_memory_bytes_per_node(
        std::max<int64_t>(asked->memory_bytes_per_node(), std::llround(limit)));
  }
  v1::JobResources* enough = receipt->mutable_enough();
  enough->set_nodes(asked->nodes());
  if (const auto cpus = CpusNeeded(archive)) {
    enough->set_cpus_per_node(
        static_cast<uint32_t>(std::max(std::ceil(*cpus), 1.0)));
  }
  if (const auto gpus = GpusNeeded(archive)) {
    enough->set_gpus_per_node(static_cast<uint32_t>(*gpus));
  }
  if (const auto memory = MemoryNeeded(archive)) {
    const int64_t bytes = std::llround(*memory * kMemoryMargin);
    enough->set_memory_bytes_per_node((bytes + kGib - 1) / kGib * kGib);
  }
}

void SetWalltime(const v1::MeasuredJob& job, v1::JobReceipt* receipt) {
  if (job.walltime_s() == 0) return;
  receipt->mutable_asked()->set_walltime_s(job.walltime_s());
  // How long it would have run is not known.
  if (!receipt->ended() || job.result() == kTimeLimit) return;
  const auto needed_s = std::llround(
      std::ceil(static_cast<double>(receipt->length_s()) * kWalltimeMargin));
  const int64_t steps = (needed_s + kWalltimeStep_s - 1) / kWalltimeStep_s;
  receipt->mutable_enough()->set_walltime_s(std::max<int64_t>(steps, 1) *
                                            kWalltimeStep_s);
}

double EnergyOf(const JobArchive& archive) {
  double joules = 0;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kEnergy)) continue;
    double last = std::nan("");
    for (const double value : series.resolutions(0).values()) {
      if (std::isnan(value)) continue;
      if (value >= last) joules += value - last;  // false for the first, a NaN
      last = value;
    }
  }
  return joules;
}

int64_t EndOf(const JobArchive& archive) {
  if (archive.job().ended_at_ms() != 0) return archive.job().ended_at_ms();
  int64_t end_ms = archive.job().started_at_ms();
  for (const ArchivedSeries& series : archive.series()) {
    if (series.resolutions().empty()) continue;
    const archive::v1::Resolution& points = series.resolutions(0);
    end_ms =
        std::max(end_ms, points.first_ms() + int64_t{points.step_s()} * 1000 *
                                                 (points.values_size() - 1));
  }
  return end_ms;
}

}  // namespace

std::set<std::string> ReceiptSeries() {
  std::set<std::string> names(std::begin(kUsed), std::end(kUsed));
  names.insert({kAnonymous, kShared, kMemoryLimit, kEnergy, kScore});
  return names;
}

v1::JobReceipt MakeReceipt(const JobArchive& archive) {
  v1::JobReceipt receipt;
  const v1::MeasuredJob& job = archive.job();
  receipt.set_ended(job.ended_at_ms() != 0);
  receipt.set_length_s(
      std::max<int64_t>(EndOf(archive) - job.started_at_ms(), 0) / 1000);
  SetResources(archive, &receipt);
  SetWalltime(job, &receipt);
  for (const char* const name : kUsed) AddUse(archive, name, &receipt);
  receipt.set_energy_joules(EnergyOf(archive));
  std::vector<double> scores;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kScore)) continue;
    const std::vector<double> values = ValuesOf(series);
    scores.insert(scores.end(), values.begin(), values.end());
  }
  if (const auto score = gpu::Aggregate(std::move(scores))) {
    v1::ScoreSummary* row = receipt.mutable_score();
    row->set_mean(score->mean);
    row->set_median(score->median);
    row->set_min(score->min);
    row->set_max(score->max);
  }
  return receipt;
}

v1::JobSummary SummaryOf(const std::string& job,
                         const v1::JobReceipt& receipt) {
  v1::JobSummary summary;
  summary.set_job_id(job);
  summary.set_length_s(receipt.length_s());
  summary.set_energy_joules(receipt.energy_joules());
  if (receipt.has_score()) *summary.mutable_score() = receipt.score();
  for (const v1::ResourceUse& use : receipt.used()) {
    if (use.series() == kGpuUse) summary.set_gpu_use_mean(use.mean());
  }
  std::map<std::string, v1::FoundRule> rules;
  for (const v1::JobFinding& finding : receipt.findings()) {
    if (finding.false_alarm()) continue;
    v1::FoundRule& rule = rules[finding.rule()];
    rule.set_rule(finding.rule());
    rule.set_title(finding.title());
    // Without remedies, which its rule has not either.
    for (const auto& [language, texts] : finding.translations()) {
      if (texts.title().empty()) continue;
      (*rule.mutable_translations())[language].set_title(texts.title());
    }
    rule.set_severity(std::max(rule.severity(), finding.severity()));
    rule.set_held_s(std::max(rule.held_s(), finding.held_s()));
    const auto node = finding.labels().find("node");
    if (node == finding.labels().end() || rule.nodes_size() >= kMaxRuleNodes ||
        std::find(rule.nodes().begin(), rule.nodes().end(), node->second) !=
            rule.nodes().end()) {
      continue;
    }
    rule.add_nodes(node->second);
  }
  for (const auto& [name, rule] : rules) *summary.add_found() = rule;
  return summary;
}

}  // namespace carme::metrics
