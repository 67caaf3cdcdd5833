// How soon a route is there, and what ten thousand of them cost.
//
// Added: from the backend's message, decoded, to a look-up that finds it on
// each of two loops; of configurable-http-proxy, the call of its REST
// interface, and the bare function behind that (chp_routes.mjs). Visible: from
// the message that is sent, or the call, to the first request that is passed
// on.
#include <array>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/route_steps.h"
#include "tests/bench/proxy/windows.h"

namespace carme::bench {
namespace {

constexpr int kMany = 10'000;
constexpr int kTimes = 1000;
constexpr int kVisible = 200;

void PrintVisible(const std::string& subject, const std::vector<float>& ms) {
  const Report report("proxy-routes-visible");
  report.Value(subject, "p50_ms", Percentile(ms, 50), "ms");
  report.Value(subject, "worst_ms", Percentile(ms, 100), "ms");
}

// The median that chp_routes.mjs prints.
double ChpAddsUs() {
  const std::string command = absl::StrCat(
      "taskset -c ", kSubjectCore,
      " node " CARME_SOURCE "/tests/bench/proxy/chp_routes.mjs ", kMany);
  std::FILE* output = popen(command.c_str(), "r");
  double median = 0;
  if (output == nullptr || std::fscanf(output, "%lf", &median) != 1 ||
      pclose(output) != 0) {
    GiveUp("chp_routes.mjs does not say how long it takes");
  }
  return median;
}

void Added(Neighbours& neighbours) {
  const Report report("proxy-routes");
  const Subject chp("chp", neighbours);
  RestApi api(neighbours, chp);
  for (int i = 0; i < kMany; ++i) api.AddUs(i);
  std::vector<double> carme, rest, bare;
  for (int round = 0; round < static_cast<int>(Setting("ROUNDS", 3)); ++round) {
    carme.push_back(TableAddsUs(neighbours, kMany));
    bare.push_back(ChpAddsUs());
    std::vector<double> calls;
    for (int i = 0; i < kTimes; ++i) {
      calls.push_back(api.AddUs(kMany + round * kTimes + i));
    }
    rest.push_back(Median(std::move(calls)));
  }
  report.Value("carme", "added_us", Median(carme), "us");
  report.Value("chp", "added_us", Median(rest), "us");
  report.Value("chp", "bare_call_us", Median(bare), "us");
  report.Ratio("carme", "chp", Median(carme) / Median(rest));

  std::vector<float> times;
  for (int i = 0; i < kVisible; ++i) {
    times.push_back(api.ToRequestMs(10 * kMany + i));
  }
  PrintVisible("chp", times);
}

void FromBackend(Neighbours& neighbours) {
  Subject subject("carme", neighbours, {.routes = kMany});
  std::vector<float> times;
  for (int i = 0; i < kVisible; ++i) {
    times.push_back(BackendToRequestMs(neighbours, subject, kMany + i));
  }
  PrintVisible("carme", times);
}

void TenThousand(Neighbours& neighbours) {
  const Report report("proxy-routes-10000");
  Subjects subjects;
  std::array<double, 2> kib{};
  for (int i = 0; i < 2; ++i) {
    subjects.push_back(std::make_unique<Subject>(
        i == 0 ? "carme" : "carme-10000", neighbours,
        SubjectOptions{.routes = i == 0 ? 1 : kMany}));
    absl::SleepFor(absl::Seconds(1));
    kib[static_cast<size_t>(i)] = subjects.back()->MemoryKib();
  }
  report.Value("carme-10000", "more_memory_mb", (kib[1] - kib[0]) * 1.024e-3,
               "MB");
  const Results results = MeasureInTurns(
      neighbours, subjects,
      [](Load& load, const Subject&) { load.KeepAsking(64, "/1k"); });
  PrintAll(report, subjects, results, "request");
  PrintCapacities(report, subjects, results, "carme-10000");
}

}  // namespace

void BenchRoutes(Neighbours& neighbours) {
  Added(neighbours);
  FromBackend(neighbours);
  TenThousand(neighbours);
}

}  // namespace carme::bench
