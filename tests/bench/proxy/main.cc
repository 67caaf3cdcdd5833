// proxy_bench NAME: carme-proxy beside its peers. It starts each on one core
// and is itself the clients, the app and the backend on another; a JSON object
// a line on stdout, what it does meanwhile on stderr.
//
//   requests    a GET with 1 KiB, 64 connections that stay open: capacity,
//               carme over peer
//   handshakes  a new connection, a full handshake, one GET: capacity
//   bulk        a GET with 1 MiB, 8 connections: capacity
//   latency     a GET at a random time, at 60 % of nginx's rate in this run:
//               added time, p50 and p99
//   memory      an idle websocket, between 200 and 2,200 of them: growth of the
//               proportional set size
//   echo        100 bytes there and back on 64 of 2,000 websockets: round trip;
//               proxy-echo-cpu: processor time
//   routes      one more route: time until it works; capacity with 10,000 over
//               that with one
//
// Capacity is work for a second of the subject's processor time, from
// /proc/PID/task/*/schedstat. The subject "none" is the app without a proxy.
// All subjects run at once and are measured in turns; each figure is the median
// of the rounds. All get the same bytes, one cipher, HTTP/1.1, limits and
// (except configurable-http-proxy) the same access log. nginx, haproxy and
// Apache check no cookie; the service of nginx-auth checks whether there is
// one.
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/proxy/benches.h"
#include "tests/bench/proxy/load/report.h"
#include "tests/bench/proxy/subjects/auth_service.h"
#include "tests/bench/proxy/subjects/process.h"

namespace {

constexpr struct {
  std::string_view name;
  void (*run)(carme::bench::Neighbours&);
} kBenches[] = {{"requests", carme::bench::BenchRequests},
                {"handshakes", carme::bench::BenchHandshakes},
                {"bulk", carme::bench::BenchBulk},
                {"latency", carme::bench::BenchLatency},
                {"memory", carme::bench::BenchMemory},
                {"echo", carme::bench::BenchEcho},
                {"routes", carme::bench::BenchRoutes}};

void EndNow(int) { std::_Exit(130); }

// Thousands of websockets, each with two ends here.
void AllowManyFiles() {
  constexpr rlim_t kFiles = 20'000;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < kFiles) files.rlim_max = kFiles;
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
    carme::bench::GiveUp("cannot open 20,000 files: run it as root");
  }
}

}  // namespace

int main(int argc, char** argv) {
  using carme::bench::AuthService;
  if (argc == 3 && std::string_view(argv[1]) == AuthService::kArgument) {
    AuthService::ServeForever(argv[2]);
  }
  const std::string_view name = argc == 2 ? argv[1] : "";
  for (const auto& bench : kBenches) {
    if (bench.name != name) continue;
    std::signal(SIGPIPE, SIG_IGN);
    // As the first process of its namespace it would not hear them.
    for (int end : {SIGINT, SIGTERM}) std::signal(end, EndNow);
    AllowManyFiles();
    carme::bench::KeepToLoadCore();
    carme::bench::Neighbours neighbours;
    bench.run(neighbours);
    return 0;
  }
  std::fprintf(stderr, "usage: proxy_bench NAME, one of:\n");
  for (const auto& bench : kBenches) {
    std::fprintf(stderr, "  %s\n", bench.name.data());
  }
  return 2;
}
