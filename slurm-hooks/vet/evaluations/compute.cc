// CPU and memory bandwidth, for a comparison with the baseline of the node's
// type (the coordinator has it).
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/config/quantity.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr double kDefaultDuration_s = 0.3;
constexpr size_t kMaxThreads = 256;
constexpr int kLanes = 32;     // enough for wide vectors
constexpr int kInner = 20000;  // iterations between looks at the clock
constexpr size_t kArrayBytes = 32 << 20;  // more than a core's share of cache
constexpr double kGiga = 1e9;

size_t AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::clamp<size_t>(static_cast<size_t>(CPU_COUNT(&set)), 1,
                            kMaxThreads);
}

// The sum of what `work` returns on each allowed CPU at the same time.
template <typename Work>
double OnAllCpus(const Work& work) {
  std::vector<double> rates(AllowedCpus());
  std::vector<std::thread> threads;
  for (double& rate : rates) {
    threads.emplace_back([&rate, &work] { rate = work(); });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

// Multiplications and additions a second, in 10^9.
double MeasureCpu(absl::Duration duration) {
  float values[kLanes];
  std::iota(values, values + kLanes, 1.0F);
  double operations = 0;
  const absl::Time start = absl::Now();
  absl::Duration took;
  do {
    for (int i = 0; i < kInner; ++i) {
      for (float& value : values) value = value * 0.999999F + 0.5F;
      asm volatile("" : : "r"(values) : "memory");  // each pass is computed
    }
    operations += 2.0 * kInner * kLanes;
    took = absl::Now() - start;
  } while (took < duration);
  return operations / absl::ToDoubleSeconds(took) / kGiga;
}

// Bytes read and written a second.
double MeasureMemory(absl::Duration duration) {
  const std::unique_ptr<char[]> from(new char[kArrayBytes]);
  const std::unique_ptr<char[]> to(new char[kArrayBytes]);
  std::memset(from.get(), 1, kArrayBytes);
  std::memset(to.get(), 2, kArrayBytes);  // its pages exist before the clock
  double bytes = 0;
  const absl::Time start = absl::Now();
  absl::Duration took;
  do {
    std::memcpy(to.get(), from.get(), kArrayBytes);
    asm volatile("" : : "r"(to.get()) : "memory");
    bytes += 2.0 * kArrayBytes;
    took = absl::Now() - start;
  } while (took < duration);
  return bytes / absl::ToDoubleSeconds(took);
}

}  // namespace

Outcome EvaluateCompute(const Evaluation& evaluation) {
  const absl::Duration duration = absl::Seconds(
      evaluation.parameters.Number("duration").value_or(kDefaultDuration_s));
  const double cpu = OnAllCpus([&] { return MeasureCpu(duration); });
  const double memory = OnAllCpus([&] { return MeasureMemory(duration); });
  Outcome outcome;
  const auto min_cpu = evaluation.parameters.Number("min_cpu");
  const auto min_memory = evaluation.parameters.Number("min_memory_bandwidth");
  if (min_cpu.has_value() && cpu < *min_cpu) {
    outcome = Outcome::Failed(
        FormatMessage(evaluation_messages::kTooLittle,
                      {{"subject", "CPU speed in 10^9 operations a second"},
                       {"found", cpu},
                       {"expected", *min_cpu}}));
  } else if (min_memory.has_value() && memory < *min_memory) {
    outcome = Outcome::Failed(
        FormatMessage(evaluation_messages::kTooLittle,
                      {{"subject", "memory bandwidth"},
                       {"found", FormatBytes(memory) + "/s"},
                       {"expected", FormatBytes(*min_memory) + "/s"}}));
  }
  outcome.metrics = {{"cpu_gflops", cpu}, {"memory_bytes_per_second", memory}};
  return outcome;
}

}  // namespace carme::vet
