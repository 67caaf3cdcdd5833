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

#include "backend/metrics/findings/score_report.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;

constexpr char kCpu[] = "carme_job_cpu_seconds_total";
constexpr char kMemory[] = "carme_job_memory_bytes";
constexpr char kAnonymous[] = "carme_job_memory_anonymous_bytes";
constexpr char kShared[] = "carme_job_memory_shared_bytes";
constexpr char kMemoryPeak[] = "carme_job_memory_peak_bytes";
constexpr char kMemoryLimit[] = "carme_job_memory_limit_bytes";
constexpr char kGpuUse[] = "carme_gpu_utilization_ratio";
constexpr char kEnergy[] = "carme_gpu_energy_joules_total";
constexpr const char* kUsed[] = {kCpu,
                                 kMemory,
                                 kGpuUse,
                                 "carme_gpu_memory_used_bytes",
                                 "carme_gpu_power_watts",
                                 "carme_gpu_sm_active_ratio",
                                 "carme_gpu_sm_occupancy_ratio",
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
// What the agent and Slurm use is below.
constexpr double kIdleCpus = 0.1;
constexpr int kMaxIdleNodes = 32;  // findings.proto

// The job as a whole, not one of its steps.
bool IsOfJob(const ArchivedSeries& series, std::string_view name) {
  return series.name() == name && !series.resolutions().empty() &&
         !series.labels().contains("step");
}

bool IsCounterSeries(const ArchivedSeries& series) {
  return series.name().ends_with("_total");
}

// A value, and for how long it is the mean; 0: it is a sample.
struct UsedAmount {
  double value;
  double length_s;
};

// The values that are there; of a counter, its rates a second.
std::vector<UsedAmount> AmountsOf(const ArchivedSeries& series) {
  const archive::v1::Resolution& points = series.resolutions(0);
  std::vector<UsedAmount> amounts;
  if (!IsCounterSeries(series)) {
    // In steps of a second they are the samples.
    const double length_s = points.step_s() > 1 ? points.step_s() : 0;
    for (const double value : points.values()) {
      if (!std::isnan(value)) amounts.push_back({value, length_s});
    }
    return amounts;
  }
  double time_s = 0, last = 0, last_s = 0;
  bool has_last = false;
  for (const double value : points.values()) {
    time_s += points.step_s();
    if (std::isnan(value)) continue;
    const double length_s = time_s - last_s;
    if (has_last && value >= last && length_s >= kMinRateSeconds) {
      amounts.push_back({(value - last) / length_s, length_s});
    }
    last = value;
    last_s = time_s;
    has_last = true;
  }
  return amounts;
}

std::vector<double> ValuesOf(const ArchivedSeries& series) {
  std::vector<double> values;
  for (const UsedAmount& amount : AmountsOf(series)) {
    values.push_back(amount.value);
  }
  return values;
}

// The largest sample, or the largest mean if that is not kept.
std::optional<UsedAmount> PeakOf(const ArchivedSeries& series) {
  if (series.has_peak()) return UsedAmount{series.peak(), 0};
  std::optional<UsedAmount> peak;
  for (const UsedAmount& amount : AmountsOf(series)) {
    if (!peak || amount.value > peak->value) peak = amount;
  }
  return peak;
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

// By node: the largest value of a series.
std::map<std::string, double> PeakByNode(const JobArchive& archive,
                                         const char* name) {
  std::map<std::string, double> peaks;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, name)) continue;
    const auto found = PeakOf(series);
    if (!found) continue;
    double& peak = peaks.emplace(series.node(), found->value).first->second;
    peak = std::max(peak, found->value);
  }
  return peaks;
}

void AddUse(const JobArchive& archive, const char* name,
            v1::JobReceipt* receipt) {
  std::vector<double> all;
  std::optional<UsedAmount> peak;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, name)) continue;
    const std::vector<double> values = ValuesOf(series);
    all.insert(all.end(), values.begin(), values.end());
    const auto found = PeakOf(series);
    if (found && (!peak || found->value > peak->value)) peak = found;
  }
  if (all.empty()) return;
  if (std::string_view(name) == kMemory) {
    for (const auto& [node, bytes] : PeakByNode(archive, kMemoryPeak)) {
      if (bytes >= peak->value) peak = UsedAmount{bytes, 0};
    }
  }
  v1::ResourceUse* use = receipt->add_used();
  use->set_series(name);
  use->set_mean(Mean(all));
  use->set_median(Quantile(0.5, &all));
  use->set_quantile_90(Quantile(0.9, &all));
  use->set_quantile_99(Quantile(0.99, &all));
  use->set_peak(peak->value);
  use->set_peak_of_means_s(
      static_cast<uint32_t>(std::lround(std::ceil(peak->length_s))));
}

// Of the busiest node, without what can be dropped. The kernel's own peak has
// all memory, cache included: what it exceeds the samples by was not sampled,
// and may all have been of programs.
std::optional<double> MemoryNeeded(const JobArchive& archive) {
  std::map<std::string, double> needed = PeakByNode(archive, kAnonymous);
  for (auto& [node, bytes] : PeakByNode(archive, kShared)) {
    const auto programs = needed.find(node);
    if (programs != needed.end()) programs->second += bytes;
  }
  const std::map<std::string, double> sampled = PeakByNode(archive, kMemory);
  for (const auto& [node, bytes] : sampled) needed.emplace(node, bytes);
  for (const auto& [node, peak] : PeakByNode(archive, kMemoryPeak)) {
    const auto total = sampled.find(node);
    double& bytes = needed.emplace(node, peak).first->second;
    const double unseen =
        total == sampled.end() ? peak : std::max(peak - total->second, 0.0);
    bytes = std::max(bytes, std::min(bytes + unseen, peak));
  }
  std::optional<double> most;
  for (const auto& [node, bytes] : needed) {
    most = std::max(most.value_or(0), bytes);
  }
  return most;
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

// By node: the GPUs that were used at all; none for a node whose GPUs were not
// sampled.
std::map<std::string, std::set<std::string>> UsedGpus(
    const JobArchive& archive) {
  std::map<std::string, std::set<std::string>> used;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kGpuUse)) continue;
    const auto peak = PeakOf(series);
    const auto gpu = series.labels().find("gpu");
    if (!peak || gpu == series.labels().end()) continue;
    std::set<std::string>& of_node = used[series.node()];
    if (peak->value > kUsedGpu) of_node.insert(gpu->second);
  }
  return used;
}

// The nodes that certainly did nothing.
std::vector<std::string> IdleNodes(const JobArchive& archive) {
  std::map<std::string, double> cpus;
  for (const ArchivedSeries& series : archive.series()) {
    if (!IsOfJob(series, kCpu)) continue;
    std::vector<double> rates = ValuesOf(series);
    if (!rates.empty()) cpus[series.node()] += Quantile(0.99, &rates);
  }
  const auto gpus = UsedGpus(archive);
  std::vector<std::string> idle;
  for (const std::string& node : archive.job().nodes()) {
    const auto of_cpus = cpus.find(node);
    if (of_cpus == cpus.end() || of_cpus->second >= kIdleCpus) continue;
    const auto of_gpus = gpus.find(node);
    const bool is_known =
        of_gpus != gpus.end() || archive.job().gpus_per_node() == 0;
    if (!is_known || (of_gpus != gpus.end() && !of_gpus->second.empty())) {
      continue;
    }
    idle.push_back(node);
  }
  return idle;
}

void SetNodes(const JobArchive& archive, v1::JobReceipt* receipt) {
  const uint32_t asked = receipt->asked().nodes();
  const std::vector<std::string> idle = IdleNodes(archive);
  const auto count = static_cast<uint32_t>(idle.size());
  receipt->set_idle_node_count(count);
  for (const std::string& node : idle) {
    if (receipt->idle_nodes_size() < kMaxIdleNodes) {
      receipt->add_idle_nodes(node);
    }
  }
  // A job needs a node.
  receipt->mutable_enough()->set_nodes(
      count < asked ? asked - count : std::min<uint32_t>(asked, 1));
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
  SetNodes(archive, receipt);
  v1::JobResources* enough = receipt->mutable_enough();
  if (const auto cpus = CpusNeeded(archive)) {
    enough->set_cpus_per_node(
        static_cast<uint32_t>(std::max(std::ceil(*cpus), 1.0)));
  }
  size_t max_gpus = 0;
  const auto used_gpus = UsedGpus(archive);
  for (const auto& [node, gpus] : used_gpus) {
    max_gpus = std::max(max_gpus, gpus.size());
  }
  if (!used_gpus.empty()) {
    enough->set_gpus_per_node(static_cast<uint32_t>(max_gpus));
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
  names.insert({kAnonymous, kShared, kMemoryPeak, kMemoryLimit, kEnergy});
  names.merge(ScoreSeries());
  return names;
}

std::set<std::string> PeakSeries() {
  std::set<std::string> names(std::begin(kUsed), std::end(kUsed));
  names.erase(kCpu);
  names.insert({kAnonymous, kShared, kMemoryPeak});
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
  AddScores(archive, &receipt);
  return receipt;
}

v1::JobSummary SummaryOf(const std::string& job,
                         const v1::JobReceipt& receipt) {
  v1::JobSummary summary;
  summary.set_job_id(job);
  summary.set_length_s(receipt.length_s());
  summary.set_energy_joules(receipt.energy_joules());
  if (receipt.has_score()) *summary.mutable_score() = receipt.score();
  if (receipt.has_ratings()) *summary.mutable_ratings() = receipt.ratings();
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
