// Agents that dial to the proxy: who gets in, what passes, what ends it.
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>

#include "common/file.h"
#include "common/listen.h"
#include "proxy/agent_links.h"
#include "slurm-hooks/agent/dialer.h"
#include "tests/proxy/dialling_agent.h"
#include "tests/proxy/link_agent.h"
#include "tests/proxy/plain_client.h"
#include "tests/proxy/proxy_fixture.h"
#include "tests/proxy/proxy_program.h"

namespace carme::testing {
namespace {

// Jobs whose links are on one loop of two and on the other: whichever loop has
// a client, one of them is on its own loop, and one is on another.
std::vector<JobId> JobsOfBothLoops() {
  std::vector<JobId> jobs;
  for (char last = 'a'; last <= 'z'; ++last) {
    const JobId job(std::string("k23456789abcdef") + last);
    if (proxy::AgentLinks::LoopOf(job, 2) == jobs.size()) jobs.push_back(job);
    if (jobs.size() == 2) break;
  }
  return jobs;
}

// The fixture's site with a job more, whose agent dials.
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
  DiallingAgent::Options Agent() const {
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
    return WaitFor([&] { return Metric("agent_links") == count; });
  }
  // What the proxy says to this before it hangs up.
  std::optional<std::string> Say(const std::string& bytes) const {
    return AskPlain(fixture.agents_port, bytes);
  }
  TestResponse Get(const std::string& path) {
    return fixture.Connect(host)->Ask(
        Request("GET " + path, host, "Cookie: " + cookie + "\r\n"));
  }
  // What opens a websocket to the job.
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
  // Whether both loops get this far.
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

// A link has not ended within so short a time only because nobody looked.
const DialSite::Change kShortHandshakes = [](proxy::ProxyConfig& config) {
  config.limits.handshake_timeout = absl::Seconds(1);
};
const DialSite::Change kShortWaits = [](proxy::ProxyConfig& config) {
  config.limits.connect_timeout = absl::Seconds(1);
};

TEST_CASE("dial: who is no agent is closed", "[proxy]") {
  const DialSite site(kShortHandshakes);
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
    CHECK(site.Say(bytes) == "");
    ++refused;
    CHECK(WaitFor(
        [&] { return site.Metric("agents_refused_total") == refused; }));
  }
  CHECK(site.Metric("agent_links") == 0);
}

TEST_CASE(
    "dial: no handshake for a job without a route, or with an agent "
    "that listens",
    "[proxy]") {
  DialSite site(kShortHandshakes);
  CHECK(site.Say(agent::DialHello(JobId("z23456789abcdefg"))) == "");
  CHECK(site.Say(agent::DialHello(kJob)) == "");
  // This one is asked for its certificate, and says nothing.
  const auto asked = site.Say(agent::DialHello(site.job));
  REQUIRE(asked.has_value());
  CHECK(asked->substr(0, 2) == "\x16\x03");
  site.SetRoute(34000);
  CHECK(WaitFor([&] { return site.Say(agent::DialHello(site.job)) == ""; }));
  site.SetRoute(0);
  CHECK(WaitFor([&] { return site.Say(agent::DialHello(site.job)) != ""; }));
  site.fixture.RemoveRoute(site.job);
  CHECK(WaitFor([&] { return site.Say(agent::DialHello(site.job)) == ""; }));
}

TEST_CASE("dial: strangers who wait do not keep an agent out", "[proxy]") {
  DialSite site([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Minutes(5);
  });
  // Half of them before the handshake, and half within.
  constexpr size_t kStrangers = 600;
  const auto places = static_cast<size_t>(
      site.fixture.config.limits.most_agent_arrivals_per_address);
  const std::string hello = agent::DialHello(site.job);
  const auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(site.fixture.agents_port));
  std::vector<UniqueFd> strangers;
  for (size_t i = 0; i < kStrangers; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(fd.get(), address->get(), address->size()) == 0);
    const size_t bytes = i % 2 == 0 ? hello.size() : 5;
    send(fd.get(), hello.data(), bytes, MSG_NOSIGNAL);
    strangers.push_back(std::move(fd));
  }
  const DiallingAgent agent(site.Agent());
  CHECK(site.Works());
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

TEST_CASE("dial: of all addresses together the oldest stranger goes",
          "[proxy]") {
  DialSite site([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Minutes(5);
    config.limits.most_agent_arrivals = 3;
    config.limits.most_agent_arrivals_per_address = 2;
  });
  const auto proxy = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(site.fixture.agents_port));
  // Within the handshake, which is on one loop.
  const auto stranger = [&](const char* from) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto own = net::Address::FromIp(from, 0);
    REQUIRE(bind(fd.get(), own->get(), own->size()) == 0);
    REQUIRE(connect(fd.get(), proxy->get(), proxy->size()) == 0);
    const std::string hello = agent::DialHello(site.job);
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
  CHECK(WaitFor([&] { return site.Metric("agents_refused_total") == 2; }));
}

TEST_CASE("dial: one address has no more agents than it may", "[proxy]") {
  DialSite site([](proxy::ProxyConfig& config) {
    config.limits.most_agents_per_address = 1;
  });
  const auto dial = [&](const std::string& word) {
    return std::make_unique<LinkAgent>(site.job, site.fixture.job_ca,
                                       site.fixture.site_ca,
                                       site.fixture.agents_port, word);
  };
  auto first = dial("hello");
  CHECK(site.HasLinks(1));
  const auto second = dial("second");
  CHECK(WaitFor([&] { return second->ended(); }));
  CHECK(WaitFor([&] { return site.Metric("agents_refused_total") == 1; }));
  CHECK_FALSE(first->asked_to_leave());
  auto websocket = site.OpenWebsocket();
  CHECK(Echoes(websocket.get()));
  // Its place is free again.
  first.reset();
  CHECK(site.HasLinks(0));
  const auto third = dial("third");
  CHECK(site.HasLinks(1));
}

TEST_CASE("dial: one address has no more handshakes a second than it may",
          "[proxy]") {
  DialSite site([](proxy::ProxyConfig& config) {
    config.limits.handshake_timeout = absl::Seconds(1);
    config.limits.agent_handshakes_per_s = 1;
    config.limits.agent_handshake_burst = 2;
  });
  const std::string hello = agent::DialHello(site.job);
  const auto address = net::Address::FromIp(
      "127.0.0.1", static_cast<uint32_t>(site.fixture.agents_port));
  constexpr size_t kStrangers = 40;
  const absl::Time start = absl::Now();
  std::vector<UniqueFd> strangers;
  for (size_t i = 0; i < kStrangers; ++i) {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(fd.get(), address->get(), address->size()) == 0);
    send(fd.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    strangers.push_back(std::move(fd));
  }
  // Each is asked for a certificate, or closed.
  size_t asked = 0;
  for (const UniqueFd& fd : strangers) {
    char first = 0;
    if (recv(fd.get(), &first, 1, 0) == 1) ++asked;
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  CHECK(asked >= 1);
  CHECK(static_cast<double>(asked) <= 2 + seconds);
  // Who comes later is let in.
  const DiallingAgent agent(site.Agent());
  CHECK(site.Works());
}

TEST_CASE("dial: a node that vanishes is given up", "[proxy]") {
  DialSite site([](proxy::ProxyConfig& config) {
    config.limits.lost_peer = absl::Seconds(2);
  });
  LinkAgent agent(site.job, site.fixture.job_ca, site.fixture.site_ca,
                  site.fixture.agents_port, "hello");
  CHECK(site.HasLinks(1));
  auto websocket = site.OpenWebsocket();
  agent.Vanish();
  // Long before the link has asked three times.
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(site.HasLinks(0));
}

TEST_CASE("dial: another's certificate is refused", "[proxy]") {
  DialSite site(kShortWaits);
  const TestCa other("job ca");
  DiallingAgent::Options stranger = site.Agent(), neighbour = site.Agent();
  stranger.job_ca = &other;
  neighbour.certificate_of = kJob.value();
  for (const DiallingAgent::Options& options : {stranger, neighbour}) {
    const int64_t before = site.Metric("agents_refused_total");
    const DiallingAgent agent(options);
    // And it tries again.
    CHECK(WaitFor(
        [&] { return site.Metric("agents_refused_total") >= before + 2; }));
    CHECK(site.Metric("agent_links") == 0);
    CHECK(site.Get("/echo").status == 503);
  }
  CHECK(site.fixture.app.requests() == 0);
}

TEST_CASE("dial: an agent lets in nobody but the proxy", "[proxy]") {
  DialSite site(kShortWaits);
  const TestCa other("site ca");
  DiallingAgent::Options options = site.Agent();
  options.site_ca = &other;
  const DiallingAgent agent(options);
  for (int i = 0; i < 2; ++i) CHECK(site.Get("/echo").status == 503);
  CHECK(site.fixture.app.requests() == 0);
}

TEST_CASE("dial: an agent verifies each grant", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(kShortWaits, job);
    DiallingAgent::Options options = site.Agent();
    options.ticket_public_key = GrantMaker().public_key();
    const DiallingAgent agent(options);
    CHECK(site.HasLinks(1));
    for (int i = 0; i < 2; ++i) CHECK(site.Get("/echo").status == 503);
    CHECK(site.fixture.app.requests() == 0);
    CHECK(site.Metric("agent_links") == 1);
  }
}

TEST_CASE("dial: without its agent a job is not ready", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(kShortWaits, job);
    for (int i = 0; i < 2; ++i) CHECK(site.Get("/echo").status == 503);
    const DiallingAgent agent(site.Agent());
    CHECK(site.Works());
  }
}

TEST_CASE("dial: an agent takes no more at once than it should", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(kShortWaits, job);
    DiallingAgent::Options options = site.Agent();
    options.most_open = 2;
    const DiallingAgent agent(options);
    CHECK(site.HasLinks(1));
    auto first = site.OpenWebsocket();
    const auto second = site.OpenWebsocket();
    auto third = site.fixture.Connect(site.host);
    CHECK(third->Ask(site.Websocket()).status == 503);
    CHECK(Echoes(first.get()));
    first.reset();
    CHECK(WaitFor([&] { return site.Get("/echo").status == 200; }));
  }
}

TEST_CASE("dial: everything passes, from every loop to every loop", "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(nullptr, job);
    const DiallingAgent agent(site.Agent());
    REQUIRE(site.Works());
    CHECK(site.HasLinks(1));
    for (int i = 0; i < 3; ++i) {
      CHECK(site.Get("/big").body.size() == 4 * 1024 * 1024);
      CHECK(site.Get("/chunked").Has("chunked"));
      CHECK(site.Get("/until-close").status == 200);
      const std::string body(1024 * 1024, 'b');
      const size_t before = site.fixture.app.body_bytes();
      auto client = site.fixture.Connect(site.host);
      client->Send(Request(
          "POST /echo", site.host,
          "Cookie: " + site.cookie + "\r\nContent-Length: 1048576\r\n", body));
      CHECK(client->ReadResponse().status == 200);
      CHECK(site.fixture.app.body_bytes() == before + body.size());
      auto websocket = site.OpenWebsocket();
      CHECK(Echoes(websocket.get(), std::string(300'000, 'w')));
    }
    // All of it on the one connection, and used again.
    CHECK(site.Metric("agent_links") == 1);
  }
}

TEST_CASE("dial: a reader that is slow stops the app, and nobody else",
          "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(nullptr, job);
    const DiallingAgent agent(site.Agent());
    REQUIRE(site.Works());
    for (int i = 0; i < 4; ++i) {
      auto slow = site.fixture.Connect(site.host);
      slow->Send(
          Request("GET /big", site.host, "Cookie: " + site.cookie + "\r\n"));
      const size_t first = slow->Read(1000).size();
      CHECK(first >= 1000);
      CHECK(site.Get("/echo").status == 200);
      auto websocket = site.OpenWebsocket();
      CHECK(Echoes(websocket.get()));
      constexpr size_t kBody = 4 * 1024 * 1024;
      CHECK(slow->Read(kBody - first).size() >= kBody - first);
    }
  }
}

TEST_CASE("dial: an agent that dies in the middle cuts what it was at",
          "[proxy]") {
  for (const JobId& job : JobsOfBothLoops()) {
    DialSite site(kShortWaits, job);
    std::optional<DiallingAgent> agent(site.Agent());
    CHECK(site.HasLinks(1));
    auto download = site.fixture.Connect(site.host);
    download->Send(
        Request("GET /drip", site.host, "Cookie: " + site.cookie + "\r\n"));
    CHECK(download->Read(20).size() >= 20);
    auto websocket = site.OpenWebsocket();
    agent.reset();
    // Not as if it were whole: there is no last chunk.
    const std::string rest = download->Read(1 << 20);
    CHECK(rest.find("\r\n0\r\n\r\n") == std::string::npos);
    CHECK(websocket->EndsWithin(kSoon));
    CHECK(site.HasLinks(0));
    CHECK(site.Get("/echo").status == 503);
    agent.emplace(site.Agent());
    CHECK(site.Works());
  }
}

TEST_CASE("dial: a second link takes what is new, a third ends the first",
          "[proxy]") {
  DialSite site;
  const auto dial = [&](const std::string& word) {
    return std::make_unique<LinkAgent>(site.job, site.fixture.job_ca,
                                       site.fixture.site_ca,
                                       site.fixture.agents_port, word);
  };
  const auto first = dial("hello");
  CHECK(site.HasLinks(1));
  auto websocket = site.OpenWebsocket();
  const auto second = dial("second");
  CHECK(WaitFor([&] { return first->asked_to_leave(); }));
  // Another session: what is at rest is of a grant.
  const std::string other = site.fixture.OpenJob(site.host, "session-2");
  const auto ask = [&] {
    return site.fixture.Connect(site.host)
        ->Ask(Request("GET /", site.host, "Cookie: " + other + "\r\n"))
        .body;
  };
  for (int i = 0; i < 4; ++i) CHECK(ask() == "second");
  CHECK(Echoes(websocket.get()));
  CHECK_FALSE(first->ended());
  const auto third = dial("third");
  CHECK(WaitFor([&] { return first->ended(); }));
  CHECK(websocket->EndsWithin(kSoon));
}

TEST_CASE("dial: the job's end ends its link", "[proxy]") {
  DialSite site;
  const DiallingAgent agent(site.Agent());
  CHECK(site.HasLinks(1));
  auto websocket = site.OpenWebsocket();
  site.fixture.RemoveRoute(site.job);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(site.HasLinks(0));
  // And it does not come back.
  const int64_t refused = site.Metric("agents_refused_total");
  CHECK(WaitFor([&] { return site.Metric("agents_refused_total") > refused; }));
  CHECK(site.Metric("agent_links") == 0);
}

TEST_CASE("dial: another job CA ends the links of the old one", "[proxy]") {
  DialSite site;
  const DiallingAgent agent(site.Agent());
  CHECK(site.HasLinks(1));
  auto websocket = site.OpenWebsocket();
  const TestCa other("job ca");
  v1::WatchRoutesResponse snapshot = site.fixture.Snapshot();
  snapshot.mutable_keys()->set_job_ca_pem(other.certificate_pem());
  site.fixture.backend->SetSnapshot(snapshot);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(site.HasLinks(0));
}

// A real proxy, which is restarted while agents and browsers stay.
struct DialProgram {
  DialProgram() {
    // An address of this process's own, so that the port is free.
    address = "127." + std::to_string(1 + getpid() % 250) + "." +
              std::to_string(getpid() / 250 % 250) + ".1:8444";
    REQUIRE(WriteFile(config,
                      ProgramConfig(site.fixture,
                                    "agents_listen = \"" + address + "\"\n"),
                      0600)
                .ok());
    site.fixture.watcher.reset();  // it speaks to the server
    site.fixture.server.reset();
    Start();
  }
  void Start() {
    program.emplace(std::vector<std::string>{"--config", config}, log,
                    listener.get());
    site.fixture.port = *PortOf(listener.get());
  }

  // The stand-in for the backend says what it is told to streams that it has; a
  // new one hears the snapshot and has to hear of the job.
  bool Works() {
    return WaitFor([&] {
             site.SetRoute(0);
             return site.Get("/echo").status == 200;
           }) &&
           site.Works();
  }

  DialSite site;
  const std::string log = site.fixture.directory.path() + "/log";
  const std::string config = site.fixture.directory.path() + "/proxy.toml";
  std::string address;
  UniqueFd listener = *ListenTcp("127.0.0.1:0");
  std::optional<ProxyProgram> program;
};

TEST_CASE("dial: agents find a proxy that was killed and is back", "[proxy]") {
  DialProgram running;
  DiallingAgent::Options options = running.site.Agent();
  options.proxy = running.address;
  const DiallingAgent agent(options);
  running.site.fixture.WaitForRoutes();
  REQUIRE(running.Works());
  for (int i = 0; i < 2; ++i) {
    auto websocket = running.site.OpenWebsocket();
    running.program->Kill();
    CHECK(websocket->EndsWithin(kSoon));
    running.Start();
    running.site.fixture.WaitForRoutes();
    CHECK(running.Works());
  }
}

TEST_CASE(
    "dial: a proxy that another takes over from keeps its links, and "
    "the new one gets its own",
    "[proxy]") {
  DialProgram running;
  DiallingAgent::Options options = running.site.Agent();
  options.proxy = running.address;
  const DiallingAgent agent(options);
  running.site.fixture.WaitForRoutes();
  REQUIRE(running.Works());
  auto websocket = running.site.OpenWebsocket();
  REQUIRE(running.program->Upgrade() > 0);
  CHECK(running.Works());
  CHECK(Echoes(websocket.get()));
}

}  // namespace
}  // namespace carme::testing
