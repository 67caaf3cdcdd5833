// What a subject spends on a unit of work, and what clients get meanwhile.
#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/windows.h"

namespace carme::bench {
namespace {

void Bench(Neighbours& neighbours, const std::string& name,
           const std::string& unit, const std::vector<std::string>& usual,
           const std::function<void(Load&, const Subject&)>& begin) {
  const Report report(name);
  const Subjects subjects = StartAll(neighbours, SubjectNames(usual));
  const Results results = MeasureInTurns(neighbours, subjects, begin);
  PrintAll(report, subjects, results, unit);
  PrintCapacities(report, subjects, results);
}

}  // namespace

void BenchRequests(Neighbours& neighbours) {
  const int connections = static_cast<int>(Setting("CONNECTIONS", 64));
  Bench(
      neighbours, "proxy-requests", "request",
      {"carme", "nginx", "haproxy", "nginx-auth", "apache", "chp", "none"},
      [&](Load& load, const Subject&) { load.KeepAsking(connections, "/1k"); });
}

void BenchHandshakes(Neighbours& neighbours) {
  const int connections = static_cast<int>(Setting("CONNECTIONS", 32));
  Bench(
      neighbours, "proxy-handshakes", "connection",
      {"carme", "nginx", "haproxy", "nginx-auth", "apache", "chp"},
      [&](Load& load, const Subject&) { load.Reconnect(connections, "/1k"); });
}

void BenchBulk(Neighbours& neighbours) {
  const int connections = static_cast<int>(Setting("CONNECTIONS", 8));
  Bench(
      neighbours, "proxy-bulk", "MiB",
      {"carme", "nginx", "haproxy", "apache", "chp", "none"},
      [&](Load& load, const Subject&) { load.KeepAsking(connections, "/1m"); });
}

}  // namespace carme::bench
