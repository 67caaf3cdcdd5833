// What a websocket at rest takes, TLS on both sides: the growth between a few
// and many, so that what the first connections make is not counted.
#include <map>

#include "absl/time/clock.h"
#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/load/websockets.h"
#include "tests/bench/proxy/windows.h"
#include "tests/support/wait_for.h"

namespace carme::bench {
namespace {

constexpr int kFew = 200;
constexpr absl::Duration kRest = absl::Seconds(2);

double KibEach(Neighbours& neighbours, const std::string& name, int many) {
  Subject subject(name, neighbours, {.threads = kFew + many + 100});
  std::unique_ptr<Websockets> websockets;
  neighbours.OnLoop([&] {
    websockets =
        std::make_unique<Websockets>(neighbours.loop(), subject.target());
  });
  const auto open = [&](int count) {
    const int all = websockets->open() + count;
    neighbours.OnLoop([&] { websockets->Open(count); });
    if (!testing::WaitFor([&] { return websockets->open() == all; })) {
      GiveUp(name + " does not take so many websockets");
    }
    absl::SleepFor(kRest);
    return subject.MemoryKib();
  };
  const double few = open(kFew);
  const double each = (open(many) - few) / many;
  neighbours.OnLoop([&] { websockets.reset(); });
  return each;
}

}  // namespace

void BenchMemory(Neighbours& neighbours) {
  const Report report("proxy-memory");
  const int many = static_cast<int>(Setting("COUNT", 2000));
  std::map<std::string, double> each;
  for (const std::string& name :
       SubjectNames({"carme", "nginx", "haproxy", "apache", "chp"})) {
    each[name] = KibEach(neighbours, name, many);
    report.Value(name, "kib_per_websocket", each[name], "KiB");
  }
  for (const auto& [name, kib] : each) {
    if (name == "carme" || !each.contains("carme")) continue;
    report.Ratio("carme", name, each["carme"] / kib);
  }
}

}  // namespace carme::bench
