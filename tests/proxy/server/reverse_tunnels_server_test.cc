// Reverse tunnels: authentication, limits, forwarding, end.
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>

#include "common/file.h"
#include "common/listen.h"
#include "proxy/upstream/reverse_tunnels.h"
#include "slurm-hooks/agent/data_path/reverse_tunnel.h"
#include "tests/proxy/fixtures/plain_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/proxy/fixtures/proxy_program.h"
#include "tests/proxy/server/real_agent.h"
#include "tests/proxy/server/tunnel_agent.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

// Two jobs whose tunnels are on different loops of two.
std::vector<JobId> JobsOfBothLoops() {
  std::vector<JobId> jobs;
  for (char last = 'a'; last <= 'z'; ++last) {
    const JobId job(std::string("k23456789abcdef") + last);
    if (proxy::ReverseTunnels::LoopOf(job, 2) == jobs.size())
      jobs.push_back(job);
    if (jobs.size() == 2) break;
  }
  return jobs;
}

// The fixture's site with another job, whose agent has a reverse tunnel.
class DialSite {
 public:
  using Change = std::function<void(proxy::ProxyConfig&)>;
  explicit DialSite(const Change& change = nullptr,
                    const JobId& the_job = kOtherJob)
      : job(the_job),
        host(the_job.value() + ".jobs.test"),
        fixture([&](proxy::ProxyConfig& config) {
          config.agents_listen = "127.0.0.1:0";
          config.metrics_listen = "127.0.0.1:0";
          if (change) change(config);
        }) {
    SetRoute(0);
    CHECK(WaitFor([&] { return Metric("routes") == 2; }));
    cookie = fixture.OpenJob(host);
  }
  void SetRoute(int agent_port) {
    v1::WatchRoutesResponse change;
    v1::Route* route = change.add_routes();
    route->set_job_id(job.value());
    route->set_address("127.0.0.1");
    route->set_port(static_cast<uint32_t>(agent_port));
    fixture.backend->Push(change);
  }
  RealAgent::Options Agent() const {
    return {.job = job,
            .job_ca = &fixture.job_ca,
            .site_ca = &fixture.site_ca,
            .ticket_public_key = fixture.grants.public_key(),
            .app_port = fixture.app.port(),
            .proxy = "127.0.0.1:" + std::to_string(fixture.agents_port)};
  }
  int64_t Metric(const std::string& name) const {
    const std::string all =
        AskPlain(fixture.metrics_port, Request("GET /metrics", "x"))
            .value_or("");
    const std::string line = "\ncarme_proxy_" + name + " ";
    const size_t at = all.find(line);
    return at == std::string::npos ? -1
                                   : std::atoll(all.c_str() + at + line.size());
  }
  bool HasLinks(int64_t count) const {
    return WaitFor([&] { return Metric("reverse_tunnels") == count; });
  }
  // The proxy's response to these bytes until it closes.
  std::optional<std::string> Say(const std::string& bytes) const {
    return AskPlain(fixture.agents_port, bytes);
  }
  TestResponse Get(const std::string& path) {
    return fixture.Connect(host)->Ask(
        Request("GET " + path, host, "Cookie: " + cookie + "\r\n"));
  }
  // A websocket request to the job.
  std::string Websocket() const {
    return Request("GET /ws", host,
                   "Cookie: " + cookie +
                       "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 13\r\nOrigin: https://" +
                       host +
                       "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  }
  std::unique_ptr<TlsClient> OpenWebsocket() {
    auto client = fixture.Connect(host);
    CHECK(client->Ask(Websocket()).status == 101);
    CHECK(client->Read(5) == "hello");
    return client;
  }
  // Whether requests from both loops work.
  bool Works() {
    return ProxyFixture::WaitForLoops(
        [&] { return Get("/echo").status == 200; });
  }

  const JobId job;
  const std::string host;
  ProxyFixture fixture;
  std::string cookie;
};

bool Echoes(TlsClient* websocket, const std::string& text = "ping") {
  websocket->Send(text);
  return websocket->Read(text.size()) == text;
}

// Timeouts that expire within a test.
const DialSite::Change kShortHandshakes = [](proxy::ProxyConfig& config) {
  config.limits.handshake_timeout = absl::Seconds(1);
};
const DialSite::Change kShortWaits = [](proxy::ProxyConfig& config) {
  config.limits.connect_timeout = absl::Seconds(1);
};

TEST_CASE("reverse tunnel: closes connections that are not agents", "[proxy]") {
  const DialSite hosts(kShortHandshakes);
  const std::string job = kOtherJob.value();
  int refused = 0;
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8),
        std::string("CARME1\0\0", 8), std::string("CARME1 LI"),
        std::string("CARME1 LINK ../../etc/passwd\n"),
        "CARME1 LINK " + job + " ", "CARME1 LINK K" + job.substr(1) + "\n",
        std::string()}) {
    INFO(bytes);
    CHECK(hosts.Say(bytes) == "");
    ++refused;
    CHECK(WaitFor(
        [&] { return hosts.Metric("agents_refused_total") == refused; }));
  }
  CHECK(hosts.Metric("reverse_tunnels") == 0);
}

TEST_CASE("reverse tunnel: no handshake without a reverse route", "[proxy]") {
  DialSite hosts(kShortHandshakes);
  CHECK(hosts.Say(agent::TunnelPreamble(JobId("z23456789abcdefg"))) == "");
  CHECK(hosts.Say(agent::TunnelPreamble(kJob)) == "");
  // Gets a handshake but sends nothing.
  const auto asked = hosts.Say(agent::TunnelPreamble(hosts.job));
  REQUIRE(asked.has_value());
  CHECK(asked->substr(0, 2) == "\x16\x03");
  hosts.SetRoute(34000);
  CHECK(WaitFor(
      [&] { return hosts.Say(agent::TunnelPreamble(hosts.job)) == ""; }));
  hosts.SetRoute(0);
  CHECK(WaitFor(
      [&] { return hosts.Say(agent::TunnelPreamble(hosts.job)) != ""; }));
  hosts.fixture.RemoveRoute(hosts.job);
  CHECK(WaitFor(
      [&] { return hosts.Say(agent::TunnelPreamble(hosts.job)) == ""; }));
}

TEST_CASE(
    "reverse tunnel: idle unauthenticated connections do not block agents",
    "[proxy]") {
  DialSite hosts([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Minutes(5);
  });
  // Half of them before the handshake, half within.
  constexpr size_t kStrangers = 600;
  const auto places = static_cast<size_t>(
      hosts.fixture.config.limits.max_unauthenticated_agents_per_address);
  const std::string hello = agent::TunnelPreamble(hosts.job);
  const auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(hosts.fixture.agents_port));
  std::vector<UniqueFd> strangers;
  for (size_t i = 0; i < kStrangers; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(fd.get(), address->get(), address->size()) == 0);
    const size_t bytes = i % 2 == 0 ? hello.size() : 5;
    send(fd.get(), hello.data(), bytes, MSG_NOSIGNAL);
    strangers.push_back(std::move(fd));
  }
  const RealAgent agent(hosts.Agent());
  CHECK(hosts.Works());
  // The oldest are gone. Two loops hear hellos, one shakes hands.
  const auto waiting = [&] {
    size_t count = 0;
    for (const UniqueFd& fd : strangers) {
      char bytes[1024];
      ssize_t got = 1;
      while (got > 0) got = recv(fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) ++count;
    }
    return count;
  };
  CHECK(WaitFor([&] { return waiting() <= 3 * places; }));
}

TEST_CASE("reverse tunnel: the oldest unauthenticated connection is closed",
          "[proxy]") {
  DialSite hosts([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Minutes(5);
    config.limits.max_unauthenticated_agents = 3;
    config.limits.max_unauthenticated_agents_per_address = 2;
  });
  const auto proxy = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(hosts.fixture.agents_port));
  // Within the handshake, on one loop.
  const auto stranger = [&](const char* from) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto own = net::Address::FromIp(from, 0);
    REQUIRE(bind(fd.get(), own->get(), own->size()) == 0);
    REQUIRE(connect(fd.get(), proxy->get(), proxy->size()) == 0);
    const std::string hello = agent::TunnelPreamble(hosts.job);
    send(fd.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    char first = 0;
    REQUIRE(recv(fd.get(), &first, 1, MSG_PEEK) == 1);  // the proxy's hello
    return fd;
  };
  const auto ends = [](const UniqueFd& fd) {
    return WaitFor([&] {
      char bytes[1024];
      ssize_t got = 1;
      while (got > 0) got = recv(fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      return got == 0 || errno != EAGAIN;
    });
  };
  const UniqueFd first = stranger("127.0.0.2"), second = stranger("127.0.0.2");
  const UniqueFd third = stranger("127.0.0.2");
  CHECK(ends(first));
  const UniqueFd fourth = stranger("127.0.0.3"), fifth = stranger("127.0.0.4");
  CHECK(ends(second));
  CHECK(WaitFor([&] { return hosts.Metric("agents_refused_total") == 2; }));
}

TEST_CASE("reverse tunnel: limits agents of an address", "[proxy]") {
  DialSite hosts([](proxy::ProxyConfig& config) {
    config.limits.max_agents_per_address = 1;
  });
  const auto dial = [&](const std::string& word) {
    return std::make_unique<TunnelAgent>(hosts.job, hosts.fixture.job_ca,
                                         hosts.fixture.site_ca,
                                         hosts.fixture.agents_port, word);
  };
  auto first = dial("hello");
  CHECK(hosts.HasLinks(1));
  const auto second = dial("second");
  CHECK(WaitFor([&] { return second->ended(); }));
  CHECK(WaitFor([&] { return hosts.Metric("agents_refused_total") == 1; }));
  CHECK_FALSE(first->asked_to_leave());
  auto websocket = hosts.OpenWebsocket();
  CHECK(Echoes(websocket.get()));
  // Its slot is free again.
  first.reset();
  CHECK(hosts.HasLinks(0));
  const auto third = dial("third");
  CHECK(hosts.HasLinks(1));
}

TEST_CASE("reverse tunnel: limits handshakes of an address", "[proxy]") {
  DialSite hosts([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Seconds(1);
    config.limits.agent_handshakes_per_s = 1;
    config.limits.agent_handshake_burst = 2;
  });
  const std::string hello = agent::TunnelPreamble(hosts.job);
  const auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(hosts.fixture.agents_port));
  constexpr size_t kStrangers = 40;
  const absl::Time start = absl::Now();
  std::vector<UniqueFd> strangers;
  for (size_t i = 0; i < kStrangers; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(fd.get(), address->get(), address->size()) == 0);
    send(fd.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    strangers.push_back(std::move(fd));
  }
  // Each gets a handshake or is closed.
  size_t asked = 0;
  for (const UniqueFd& fd : strangers) {
    char first = 0;
    if (recv(fd.get(), &first, 1, 0) == 1) ++asked;
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  CHECK(asked >= 1);
  CHECK(static_cast<double>(asked) <= 2 + seconds);
  // A later agent is accepted.
  const RealAgent agent(hosts.Agent());
  CHECK(hosts.Works());
}

TEST_CASE("reverse tunnel: closes the tunnel of a lost node", "[proxy]") {
  DialSite hosts([](proxy::ProxyConfig& config) {
    config.limits.tcp_keepalive_timeout = absl::Seconds(2);
  });
  TunnelAgent agent(hosts.job, hosts.fixture.job_ca, hosts.fixture.site_ca,
                    hosts.fixture.agents_port, "hello");
  CHECK(hosts.HasLinks(1));
  auto websocket = hosts.OpenWebsocket();
  agent.Vanish();
  // Long before the tunnel has sent three pings.
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(hosts.HasLinks(0));
}

TEST_CASE("reverse tunnel: rejects another job's certificate", "[proxy]") {
  DialSite hosts(kShortWaits);
  const TestCa other("job ca");
  RealAgent::Options stranger = hosts.Agent(), neighbour = hosts.Agent();
  stranger.job_ca = &other;
  neighbour.certificate_of = kJob.value();
  for (const RealAgent::Options& options : {stranger, neighbour}) {
    const int64_t before = hosts.Metric("agents_refused_total");
    const RealAgent agent(options);
    // The agent reconnects.
    CHECK(WaitFor(
        [&] { return hosts.Metric("agents_refused_total") >= before + 2; }));
    CHECK(hosts.Metric("reverse_tunnels") == 0);
    CHECK(hosts.Get("/echo").status == 503);
  }
  CHECK(hosts.fixture.app.requests() == 0);
}

TEST_CASE("reverse tunnel: an agent accepts only the proxy", "[proxy]") {
  DialSite hosts(kShortWaits);
  const TestCa other("site ca");
  RealAgent::Options options = hosts.Agent();
  options.site_ca = &other;
  const RealAgent agent(options);
  for (int i = 0; i < 2; ++i) CHECK(hosts.Get("/echo").status == 503);
  CHECK(hosts.fixture.app.requests() == 0);
}

TEST_CASE("reverse tunnel: an agent verifies each grant", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(kShortWaits, job);
    RealAgent::Options options = hosts.Agent();
    options.ticket_public_key = GrantMaker().public_key();
    const RealAgent agent(options);
    CHECK(hosts.HasLinks(1));
    for (int i = 0; i < 2; ++i) CHECK(hosts.Get("/echo").status == 503);
    CHECK(hosts.fixture.app.requests() == 0);
    CHECK(hosts.Metric("reverse_tunnels") == 1);
  }
}

TEST_CASE("reverse tunnel: without a tunnel the job is not ready", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(kShortWaits, job);
    for (int i = 0; i < 2; ++i) CHECK(hosts.Get("/echo").status == 503);
    const RealAgent agent(hosts.Agent());
    CHECK(hosts.Works());
  }
}

TEST_CASE("reverse tunnel: an agent limits concurrent streams", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(kShortWaits, job);
    RealAgent::Options options = hosts.Agent();
    options.max_open = 2;
    const RealAgent agent(options);
    CHECK(hosts.HasLinks(1));
    auto first = hosts.OpenWebsocket();
    const auto second = hosts.OpenWebsocket();
    auto third = hosts.fixture.Connect(hosts.host);
    CHECK(third->Ask(hosts.Websocket()).status == 503);
    CHECK(Echoes(first.get()));
    first.reset();
    CHECK(WaitFor([&] { return hosts.Get("/echo").status == 200; }));
  }
}

TEST_CASE("reverse tunnel: forwards everything between all loops", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(nullptr, job);
    const RealAgent agent(hosts.Agent());
    REQUIRE(hosts.Works());
    CHECK(hosts.HasLinks(1));
    for (int i = 0; i < 3; ++i) {
      CHECK(hosts.Get("/big").body.size() == 4 * 1024 * 1024);
      CHECK(hosts.Get("/chunked").Has("chunked"));
      CHECK(hosts.Get("/until-close").status == 200);
      const std::string body(1024 * 1024, 'b');
      const size_t before = hosts.fixture.app.body_bytes();
      auto client = hosts.fixture.Connect(hosts.host);
      client->Send(Request(
          "POST /echo", hosts.host,
          "Cookie: " + hosts.cookie + "\r\nContent-Length: 1048576\r\n", body));
      CHECK(client->ReadResponse().status == 200);
      CHECK(hosts.fixture.app.body_bytes() == before + body.size());
      auto websocket = hosts.OpenWebsocket();
      CHECK(Echoes(websocket.get(), std::string(300'000, 'w')));
    }
    // All on one tunnel, with reused streams.
    CHECK(hosts.Metric("reverse_tunnels") == 1);
  }
}

TEST_CASE("reverse tunnel: a slow reader stops only its own app", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(nullptr, job);
    const RealAgent agent(hosts.Agent());
    REQUIRE(hosts.Works());
    for (int i = 0; i < 4; ++i) {
      auto slow = hosts.fixture.Connect(hosts.host);
      slow->Send(
          Request("GET /big", hosts.host, "Cookie: " + hosts.cookie + "\r\n"));
      const size_t first = slow->Read(1000).size();
      CHECK(first >= 1000);
      CHECK(hosts.Get("/echo").status == 200);
      auto websocket = hosts.OpenWebsocket();
      CHECK(Echoes(websocket.get()));
      constexpr size_t kBody = 4 * 1024 * 1024;
      CHECK(slow->Read(kBody - first).size() >= kBody - first);
    }
  }
}

TEST_CASE("reverse tunnel: the death of an agent aborts its responses",
          "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite hosts(kShortWaits, job);
    std::optional<RealAgent> agent(hosts.Agent());
    CHECK(hosts.HasLinks(1));
    auto download = hosts.fixture.Connect(hosts.host);
    download->Send(
        Request("GET /drip", hosts.host, "Cookie: " + hosts.cookie + "\r\n"));
    CHECK(download->Read(20).size() >= 20);
    auto websocket = hosts.OpenWebsocket();
    agent.reset();
    // Visibly truncated: there is no last chunk.
    const std::string rest = download->Read(1 << 20);
    CHECK(rest.find("\r\n0\r\n\r\n") == std::string::npos);
    CHECK(websocket->EndsWithin(kSoon));
    CHECK(hosts.HasLinks(0));
    CHECK(hosts.Get("/echo").status == 503);
    agent.emplace(hosts.Agent());
    CHECK(hosts.Works());
  }
}

TEST_CASE(
    "reverse tunnel: the newest of two gets new streams, a third closes the "
    "first",
    "[proxy]") {
  DialSite hosts;
  const auto dial = [&](const std::string& word) {
    return std::make_unique<TunnelAgent>(hosts.job, hosts.fixture.job_ca,
                                         hosts.fixture.site_ca,
                                         hosts.fixture.agents_port, word);
  };
  const auto first = dial("hello");
  CHECK(hosts.HasLinks(1));
  auto websocket = hosts.OpenWebsocket();
  const auto second = dial("second");
  CHECK(WaitFor([&] { return first->asked_to_leave(); }));
  // Another session, because idle connections belong to a grant.
  const std::string other = hosts.fixture.OpenJob(hosts.host, "session-2");
  const auto ask = [&] {
    return hosts.fixture.Connect(hosts.host)
        ->Ask(Request("GET /", hosts.host, "Cookie: " + other + "\r\n"))
        .body;
  };
  for (int i = 0; i < 4; ++i) CHECK(ask() == "second");
  CHECK(Echoes(websocket.get()));
  CHECK_FALSE(first->ended());
  const auto third = dial("third");
  CHECK(WaitFor([&] { return first->ended(); }));
  CHECK(websocket->EndsWithin(kSoon));
}

TEST_CASE("reverse tunnel: the end of the job closes it", "[proxy]") {
  DialSite hosts;
  const RealAgent agent(hosts.Agent());
  CHECK(hosts.HasLinks(1));
  auto websocket = hosts.OpenWebsocket();
  hosts.fixture.RemoveRoute(hosts.job);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(hosts.HasLinks(0));
  // It does not come back.
  const int64_t refused = hosts.Metric("agents_refused_total");
  CHECK(
      WaitFor([&] { return hosts.Metric("agents_refused_total") > refused; }));
  CHECK(hosts.Metric("reverse_tunnels") == 0);
}

TEST_CASE("reverse tunnel: a new job CA closes tunnels of the old one",
          "[proxy]") {
  DialSite hosts;
  const RealAgent agent(hosts.Agent());
  CHECK(hosts.HasLinks(1));
  auto websocket = hosts.OpenWebsocket();
  const TestCa other("job ca");
  v1::WatchRoutesResponse snapshot = hosts.fixture.Snapshot();
  snapshot.mutable_keys()->set_job_ca_pem(other.certificate_pem());
  hosts.fixture.backend->SetSnapshot(snapshot);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(hosts.HasLinks(0));
}

// A real proxy, which is restarted while agents and browsers stay.
struct DialProgram {
  DialProgram() {
    // An address of this process's own, so that the port is free.
    address = "127." + std::to_string(1 + getpid() % 250) + "." +
              std::to_string(getpid() / 250 % 250) + ".1:8444";
    REQUIRE_THAT(WriteFile(config,
                           ProgramConfig(hosts.fixture, "agents_listen = \"" +
                                                            address + "\"\n"),
                           0600),
                 IsOk());
    hosts.fixture.watcher.reset();  // it speaks to the server
    hosts.fixture.server.reset();
    Start();
  }
  void Start() {
    program.emplace(std::vector<std::string>{"--config", config}, log,
                    listener.get());
    hosts.fixture.port = *PortOf(listener.get());
  }

  // The fake backend sends routes to the open streams. A new stream gets the
  // snapshot first, so the route is set again until it arrives.
  bool Works() {
    return WaitFor([&] {
             hosts.SetRoute(0);
             return hosts.Get("/echo").status == 200;
           }) &&
           hosts.Works();
  }

  DialSite hosts;
  const std::string log = hosts.fixture.directory.path() + "/log";
  const std::string config = hosts.fixture.directory.path() + "/proxy.toml";
  std::string address;
  UniqueFd listener = *ListenTcp("127.0.0.1:0");
  std::optional<ProxyProgram> program;
};

TEST_CASE("reverse tunnel: agents reconnect after the proxy was killed",
          "[proxy]") {
  DialProgram running;
  RealAgent::Options options = running.hosts.Agent();
  options.proxy = running.address;
  const RealAgent agent(options);
  running.hosts.fixture.WaitForRoutes();
  REQUIRE(running.Works());
  for (int i = 0; i < 2; ++i) {
    auto websocket = running.hosts.OpenWebsocket();
    running.program->Kill();
    CHECK(websocket->EndsWithin(kSoon));
    running.Start();
    running.hosts.fixture.WaitForRoutes();
    CHECK(running.Works());
  }
}

TEST_CASE("reverse tunnel: after a hot restart both processes have tunnels",
          "[proxy]") {
  DialProgram running;
  RealAgent::Options options = running.hosts.Agent();
  options.proxy = running.address;
  const RealAgent agent(options);
  running.hosts.fixture.WaitForRoutes();
  REQUIRE(running.Works());
  auto websocket = running.hosts.OpenWebsocket();
  REQUIRE(running.program->Upgrade() > 0);
  CHECK(running.Works());
  CHECK(Echoes(websocket.get()));
}

}  // namespace
}  // namespace carme::testing
