// Hot restart: a new process takes over from an old one.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "common/file.h"
#include "common/listen.h"
#include "tests/proxy/fixtures/plain_client.h"
#include "tests/proxy/fixtures/running_proxy.h"
#include "tests/proxy/survival/websocket_load.h"
#include "tests/support/held_port.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

TEST_CASE("hot restart: a process that cannot start changes nothing",
          "[proxy]") {
  RunningProxy running;
  auto websocket = running.fixture.OpenWebsocket(running.fixture.cookie);
  REQUIRE_THAT(WriteFile(running.config, "portal_host = 1\n", 0600), IsOk());
  running.program->Signal(SIGUSR2);
  REQUIRE(running.program->Says("new process not ready"));
  CHECK(running.Alive(*websocket));
  CHECK(running.fixture.Get("/echo").status == 200);
  // It can be tried again.
  running.Configure("");
  CHECK(running.program->Upgrade() > 0);
  CHECK(running.Alive(*websocket));
  CHECK(running.fixture.Get("/echo").status == 200);
}

TEST_CASE("hot restart: the old process closes ended sessions, then exits",
          "[proxy]") {
  RunningProxy running;
  ProxyFixture& fixture = running.fixture;
  const std::string before = fixture.Ticket(), used = fixture.Ticket();
  CHECK(running.Redeem(used) == 303);
  const std::string other = fixture.OpenJob(kJobHost, "session-2");
  auto mine = fixture.OpenWebsocket(fixture.cookie);
  auto theirs = fixture.OpenWebsocket(other);
  auto download = fixture.Connect();
  download->Send(
      Request("GET /held", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  auto idle = fixture.Connect();
  CHECK(idle->Ask(Request("GET /echo", kPortalHost)).status == 421);

  REQUIRE(running.program->Upgrade() > 0);
  CHECK(idle->EndsWithin(kSoon));
  CHECK(running.Alive(*mine));
  CHECK(running.Alive(*theirs));
  // A ticket works in one process only.
  CHECK(running.Redeem(used) == 403);
  CHECK(running.Redeem(before) == 303);
  CHECK(running.Redeem(before) == 403);
  fixture.app.Release();
  TestResponse held = download->ReadResponse();
  CHECK(held.status == 200);
  CHECK(held.Value("Connection") == "close");

  // Later streams get it with the snapshot.
  REQUIRE(WaitFor([&] { return fixture.backend->streams() == 2; }));
  fixture.Revoke("session-2");
  CHECK(theirs->EndsWithin(kSoon));
  CHECK(running.Alive(*mine));
  fixture.RemoveRoute(kJob);
  CHECK(mine->EndsWithin(kSoon));
  CHECK(running.program->ExitCode() == 0);
  CHECK(
      fixture.WaitForLoops([&] { return fixture.Get("/echo").status == 404; }));
}

TEST_CASE("hot restart: a process of another container takes over", "[proxy]") {
  RunningProxy running;
  ProxyFixture& fixture = running.fixture;
  const std::string used = fixture.Ticket();
  CHECK(running.Redeem(used) == 303);
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  // With the same socket and state directory, as from a service manager.
  ProxyProgram next({"--config", running.config}, running.log + ".next",
                    running.listener.get());
  REQUIRE(next.Says("serving"));
  running.program->Signal(SIGUSR1);
  REQUIRE(running.program->Says("another process took over"));
  // The cookie is valid there, the used ticket is not.
  CHECK(
      fixture.WaitForLoops([&] { return fixture.Get("/echo").status == 200; }));
  CHECK(running.Redeem(used) == 403);
  CHECK(running.Alive(*websocket));
  websocket.reset();
  CHECK(running.program->ExitCode() == 0);
  CHECK(fixture.Get("/echo").status == 200);
}

TEST_CASE("hot restart: open connections of the old process have a time limit",
          "[proxy]") {
  RunningProxy running("", "restart_drain_timeout_s = 1\n");
  auto websocket = running.fixture.OpenWebsocket(running.fixture.cookie);
  REQUIRE(running.program->Upgrade() > 0);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(running.program->ExitCode() == 0);
}

TEST_CASE("hot restart: sockets keep their purpose with another configuration",
          "[proxy]") {
  const HeldPort redirect, metrics;
  const std::string watched =
      "metrics_listen = \"127.0.0.1:" + std::to_string(metrics.number()) +
      "\"\n";
  RunningProxy running(watched);
  const auto responds = [](const HeldPort& at, const std::string& path,
                           const std::string& wanted) {
    auto answer = AskPlain(
        at.number(), "GET " + path + " HTTP/1.1\r\nHost: portal.test\r\n\r\n",
        kWaitTimeout);
    return answer.value_or("").find(wanted) != std::string::npos;
  };
  CHECK(responds(metrics, "/metrics", "\ncarme_proxy_routes 1\n"));
  auto websocket = running.fixture.OpenWebsocket(running.fixture.cookie);
  // Another socket, before the existing one.
  running.Configure("redirect_listen = \"127.0.0.1:" +
                    std::to_string(redirect.number()) + "\"\n" + watched);
  REQUIRE(running.program->Upgrade() > 0);
  CHECK(responds(redirect, "/x", "https://portal.test/x"));
  // Of the new process, which has no websocket. The old one may still accept a
  // connection while it hands over.
  CHECK(WaitFor([&] {
    return responds(metrics, "/metrics", "\ncarme_proxy_websockets_open 0\n");
  }));
  CHECK(running.fixture.Get("/echo").status == 200);
  CHECK(running.Alive(*websocket));
}

TEST_CASE("hot restart: reports the new main process to the supervisor",
          "[proxy]") {
  TempDir place;
  const std::string path = place.path() + "/notify";
  const UniqueFd notify(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(notify.get(), reinterpret_cast<sockaddr*>(&address),
               sizeof address) == 0);
  const timeval timeout = absl::ToTimeval(kWaitTimeout);
  setsockopt(notify.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  const auto word = [&] {
    char bytes[256];
    const ssize_t size = recv(notify.get(), bytes, sizeof bytes, 0);
    return std::string(bytes, size > 0 ? static_cast<size_t>(size) : 0);
  };
  ProxyProgram::Options options;
  options.environment["NOTIFY_SOCKET"] = path;
  RunningProxy running("", "", options);
  CHECK(word() == "READY=1");
  const pid_t heir = running.program->Upgrade();
  CHECK(word() == "MAINPID=" + std::to_string(heir));
  // The supervisor sees its exit, whatever the old process does.
  CHECK(running.program->ExitCode() == 0);
  CHECK(running.fixture.Get("/echo").status == 200);
}

// Sanitizers are ten times as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr rlim_t kWanted = 200;
#else
constexpr rlim_t kWanted = 2000;
#endif

// Limited by this process's descriptors: four each.
int Members() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t max = (limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, 500));
  return static_cast<int>(std::min<rlim_t>(kWanted, max / 4));
}

TEST_CASE("hot restart: loses none of 2,000 websockets with traffic",
          "[proxy]") {
  const int members = Members();
  RunningProxy running("",
                       "max_connections_per_address = 10000\n"
                       "max_connections_per_session = 10000\n");
  ProxyFixture& fixture = running.fixture;
  EchoLoop app;
  FakeAgent agent(kOtherJob, fixture.job_ca, fixture.site_ca,
                  fixture.grants.public_key(), app.port());
  v1::WatchRoutesResponse more;
  v1::Route* route = more.add_routes();
  route->set_job_id(kOtherJob.value());
  route->set_address("127.0.0.1");
  route->set_port(static_cast<uint32_t>(agent.port()));
  fixture.backend->Push(more);
  const std::string cookie = fixture.OpenJob(kOtherJobHost);
  CHECK(fixture.WaitForLoops([&] {
    auto client = fixture.Connect(kOtherJobHost);
    return client
               ->Ask(Request("GET /", kOtherJobHost,
                             "Cookie: " + cookie + "\r\n"))
               .status != 404;
  }));
  WebsocketLoad crowd({fixture.port, kOtherJobHost, cookie,
                       fixture.site_ca.certificate_pem(), members});
  REQUIRE(WaitFor([&] { return crowd.open() + crowd.lost() == members; },
                  3 * kWaitTimeout));
  REQUIRE(crowd.lost() == 0);

  std::atomic<bool> done = false;
  std::atomic<int> served = 0, refused = 0;
  std::thread newcomers([&] {
    while (!done) {
      TlsClient client(fixture.port, fixture.ClientOptions(kJobHost));
      const TestResponse answer = client.Ask(
          Request("GET /echo", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
      ++(answer.status == 200 ? served : refused);
    }
  });
  REQUIRE(WaitFor([&] { return served > 5; }));
  const absl::Time start = absl::Now();
  CHECK(running.program->Upgrade() > 0);
  const absl::Duration took = absl::Now() - start;
  const int rounds = crowd.fewest_rounds(), before = served;
  CHECK(WaitFor(
      [&] { return crowd.fewest_rounds() >= rounds + 2 || crowd.lost() > 0; }));
  CHECK(WaitFor([&] { return served > before + 5; }));
  done = true;
  newcomers.join();
  WARN(members << " websockets, handed over after "
               << absl::FormatDuration(took) << "; " << served
               << " new connections served meanwhile, " << refused << " not");
  CHECK(refused == 0);
  CHECK(crowd.lost() == 0);
  CHECK(crowd.open() == members);
  crowd.Leave();
  CHECK(running.program->ExitCode() == 0);
  // The new process serves.
  CHECK(fixture.Get("/echo").status == 200);
}

}  // namespace
}  // namespace carme::testing
