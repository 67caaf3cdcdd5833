#include "tests/bench/proxy/windows.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "tests/support/wait_for.h"

namespace carme::bench {
namespace {

constexpr absl::Duration kWarmUp = absl::Milliseconds(500);
constexpr char kAlone[] = "-alone";

struct Mark {
  double subject, alone, own;
  int64_t done, time_ns;
};

Mark MarkNow(const Subject& subject, const Load& load) {
  return {subject.CpuSeconds(),
          subject.asks_service() ? subject.CpuSecondsAlone() : 0,
          OwnCpuSeconds(), load.done(), NowNs()};
}

Measured MeasureOnce(Neighbours& neighbours, const Subject& subject,
                     const std::function<void(Load&, const Subject&)>& begin) {
  std::unique_ptr<Load> load;
  neighbours.OnLoop([&] {
    load = std::make_unique<Load>(neighbours.loop(), subject.target());
    begin(*load, subject);
  });
  if (!testing::WaitFor([&] { return load->done() > 0; })) {
    GiveUp(subject.name() + " answers nothing");
  }
  absl::SleepFor(kWarmUp);
  load->Record();
  const Mark start = MarkNow(subject, *load);
  absl::SleepFor(absl::Seconds(Setting("WINDOW_S", 3)));
  const Mark end = MarkNow(subject, *load);
  load->Stop();
  if (!testing::WaitFor([&] { return load->ended(); })) {
    GiveUp(subject.name() + " leaves requests open");
  }
  Measured measured;
  const auto units = static_cast<double>(end.done - start.done);
  const double seconds = static_cast<double>(end.time_ns - start.time_ns) / 1e9;
  measured.cpu_us = (end.subject - start.subject) * 1e6 / units;
  measured.alone_us = (end.alone - start.alone) * 1e6 / units;
  measured.per_s = units / seconds;
  measured.subject_busy = (end.subject - start.subject) / seconds;
  measured.load_busy = (end.own - start.own) / seconds;
  neighbours.OnLoop([&] {
    measured.p50_us = Percentile(load->times(), 50);
    measured.p99_us = Percentile(load->times(), 99);
    load.reset();
  });
  Progress(absl::StrFormat(
      "%-12s %8.2f us CPU %9.0f /s  p50 %7.0f us  p99 %7.0f us  busy %3.0f %%, "
      "load %3.0f %%",
      subject.name(), measured.cpu_us, measured.per_s, measured.p50_us,
      measured.p99_us, measured.subject_busy * 100, measured.load_busy * 100));
  return measured;
}

double MedianOf(const std::vector<Measured>& rounds, double Measured::*member) {
  std::vector<double> values;
  for (const Measured& round : rounds) values.push_back(round.*member);
  return Median(std::move(values));
}

}  // namespace

Subjects StartAll(Neighbours& neighbours, const std::vector<std::string>& names,
                  const SubjectOptions& options) {
  Subjects subjects;
  for (const std::string& name : names) {
    subjects.push_back(std::make_unique<Subject>(name, neighbours, options));
  }
  return subjects;
}

Results MeasureInTurns(
    Neighbours& neighbours, const Subjects& subjects,
    const std::function<void(Load&, const Subject&)>& begin) {
  std::map<std::string, std::vector<Measured>> rounds;
  const int count = static_cast<int>(Setting("ROUNDS", 3));
  for (int round = 0; round < count; ++round) {
    for (const auto& subject : subjects) {
      rounds[subject->name()].push_back(
          MeasureOnce(neighbours, *subject, begin));
    }
  }
  Results results;
  for (const auto& [name, all] : rounds) {
    Measured& result = results[name];
    for (auto member : {&Measured::cpu_us, &Measured::alone_us,
                        &Measured::per_s, &Measured::p50_us, &Measured::p99_us,
                        &Measured::subject_busy, &Measured::load_busy}) {
      result.*member = MedianOf(all, member);
    }
  }
  return results;
}

void PrintAll(const Report& report, const Subjects& subjects,
              const Results& results, const std::string& unit) {
  for (const auto& subject : subjects) {
    const std::string& name = subject->name();
    const Measured& got = results.at(name);
    if (name != "none") {
      report.Value(name, "cpu_us_per_" + unit, got.cpu_us, "us");
    }
    if (subject->asks_service()) {
      report.Value(name + kAlone, "cpu_us_per_" + unit, got.alone_us, "us");
    }
    report.Value(name, unit + "s_per_s", got.per_s, "1/s");
    report.Value(name, "p50_us", got.p50_us, "us");
    report.Value(name, "p99_us", got.p99_us, "us");
    if (name != "none") {
      report.Value(name, "subject_busy", got.subject_busy, "");
    }
    report.Value(name, "load_busy", got.load_busy, "");
  }
}

void PrintCapacities(const Report& report, const Subjects& subjects,
                     const Results& results, const std::string& subject) {
  const auto own = results.find(subject);
  if (own == results.end()) return;
  for (const auto& peer : subjects) {
    if (peer->name() == subject || peer->name() == "none") continue;
    report.Ratio(subject, peer->name(),
                 results.at(peer->name()).cpu_us / own->second.cpu_us);
    if (!peer->asks_service()) continue;
    report.Ratio(subject, peer->name() + kAlone,
                 results.at(peer->name()).alone_us / own->second.cpu_us);
  }
}

}  // namespace carme::bench
