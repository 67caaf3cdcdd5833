// What a subject adds to the time of a request, at 60 % of what nginx can do.
//
// Requests come at random times and are timed from when they were due, so that
// a slow answer counts for all that wait behind it. The same load on the app
// itself, without a proxy between, is subtracted.
#include <algorithm>
#include <utility>

#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/windows.h"

namespace carme::bench {
namespace {

constexpr int kConnections = 64;
constexpr double kShare = 0.6;

}  // namespace

void BenchLatency(Neighbours& neighbours) {
  const Report report("proxy-latency");
  const Subjects subjects = StartAll(
      neighbours,
      SubjectNames({"carme", "nginx", "haproxy", "nginx-auth", "none"}));
  const Results max =
      MeasureInTurns(neighbours, subjects, [&](Load& load, const Subject&) {
        load.KeepAsking(kConnections, "/1k");
      });
  const auto nginx = max.find("nginx");
  if (nginx == max.end()) GiveUp("SUBJECTS: expected nginx among them");
  double rate = Setting("RATE", kShare * nginx->second.per_s);
  // No subject gets more than most of its capacity.
  for (const auto& [name, at_most] : max) {
    if (name != "nginx-auth") rate = std::min(rate, 0.8 * at_most.per_s);
  }
  report.Value("all", "rate", rate, "1/s");
  const Results results = MeasureInTurns(
      neighbours, subjects, [&](Load& load, const Subject& subject) {
        load.AskAtRate(kConnections, "/1k",
                       std::min(rate, 0.8 * max.at(subject.name()).per_s));
      });
  PrintAll(report, subjects, results, "request");
  const auto direct = results.find("none");
  if (direct == results.end()) return;
  for (const auto& [half, member] : {std::pair("p50", &Measured::p50_us),
                                     std::pair("p99", &Measured::p99_us)}) {
    const Report each(std::string("proxy-latency-") + half);
    const auto added = [&](const std::string& name) {
      return results.at(name).*member - direct->second.*member;
    };
    for (const auto& subject : subjects) {
      if (subject->name() == "none") continue;
      each.Value(subject->name(), "added_us", added(subject->name()), "us");
    }
    for (const auto& subject : subjects) {
      const std::string& name = subject->name();
      if (name == "none" || name == "carme" || !results.contains("carme")) {
        continue;
      }
      each.Ratio("carme", name, added("carme") / added(name));
    }
  }
}

}  // namespace carme::bench
