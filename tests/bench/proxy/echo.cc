// 64 websockets that echo among 2,000 that are open: the round trip of 100
// bytes, and what it costs the subject.
#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/load/websockets.h"
#include "tests/bench/proxy/windows.h"
#include "tests/support/wait_for.h"

namespace carme::bench {

void BenchEcho(Neighbours& neighbours) {
  const Report report("proxy-echo");
  const int many = static_cast<int>(Setting("COUNT", 2000));
  const auto active = static_cast<size_t>(Setting("CONNECTIONS", 64));
  const Subjects subjects =
      StartAll(neighbours, SubjectNames({"carme", "nginx", "haproxy", "chp"}),
               {.threads = many + 100});
  std::map<std::string, std::unique_ptr<Websockets>> websockets;
  for (const auto& subject : subjects) {
    auto& own = websockets[subject->name()];
    neighbours.OnLoop([&] {
      own = std::make_unique<Websockets>(neighbours.loop(), subject->target());
      own->Open(many);
    });
    if (!testing::WaitFor([&] { return own->open() == many; })) {
      GiveUp(subject->name() + " does not take so many websockets");
    }
  }
  const Results results = MeasureInTurns(
      neighbours, subjects, [&](Load& load, const Subject& subject) {
        load.Echo(websockets[subject.name()]->Some(active));
      });
  PrintAll(report, subjects, results, "echo");
  for (const auto& subject : subjects) {
    const std::string& name = subject->name();
    if (name == "carme" || !results.contains("carme")) continue;
    report.Ratio("carme", name,
                 results.at("carme").p50_us / results.at(name).p50_us);
  }
  const Report cpu("proxy-echo-cpu");
  for (const auto& subject : subjects) {
    const std::string& name = subject->name();
    if (name == "carme" || !results.contains("carme")) continue;
    cpu.Ratio("carme", name,
              results.at("carme").cpu_us / results.at(name).cpu_us);
  }
  neighbours.OnLoop([&] { websockets.clear(); });
}

}  // namespace carme::bench
