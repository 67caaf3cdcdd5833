#include "tests/proxy/proxy_fixture.h"

#include <csignal>
#include <utility>

#include "common/file.h"
#include "common/listen.h"

namespace carme::testing {
namespace {

void Write(const std::string& path, const std::string& content) {
  REQUIRE(WriteFile(path, content, 0600).ok());
}

}  // namespace

std::string Request(const std::string& line, const std::string& host,
                    const std::string& fields, const std::string& body) {
  return line + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "\r\n" + body;
}

ProxyFixture::ProxyFixture(
    const std::function<void(proxy::ProxyConfig&)>& change) {
  // The clients write through OpenSSL, to connections that may be gone.
  std::signal(SIGPIPE, SIG_IGN);
  TestIdentity front = site_ca.Issue({kPortalHost, "*.jobs.test"});
  TestIdentity own = site_ca.IssueNames("URI:carme://proxy/dmz");
  const std::string& path = directory.path();
  Write(path + "/public.pem", front.certificate_pem);
  Write(path + "/public.key", front.key_pem);
  Write(path + "/proxy.pem", own.certificate_pem);
  Write(path + "/proxy.key", own.key_pem);
  Write(path + "/ca.pem", site_ca.certificate_pem());
  Write(path + "/crl.pem", site_ca.RevocationList({}));
  StartBackend();

  config.loops = 2;
  config.portal_host = kPortalHost;
  config.jobs_domain = "jobs.test";
  config.state_directory = path;
  config.certificate = path + "/public.pem";
  config.key = path + "/public.key";
  config.frontend_address = "127.0.0.1:" + std::to_string(frontend.port());
  if (change) change(config);
  auto listener = ListenTcp("127.0.0.1:0");
  REQUIRE(listener.ok());
  port = *PortOf(listener->get());
  auto made = proxy::ProxyServer::Create(config, *std::move(listener), clock);
  INFO(made.status());
  REQUIRE(made.ok());
  server = *std::move(made);
  if (!config.redirect_listen.empty()) {
    auto plain = ListenTcp("127.0.0.1:0");
    REQUIRE(plain.ok());
    redirect_port = *PortOf(plain->get());
    REQUIRE(server->ServeRedirects(*std::move(plain)).ok());
  }
  if (!config.metrics_listen.empty()) {
    auto plain = ListenTcp("127.0.0.1:0");
    REQUIRE(plain.ok());
    metrics_port = *PortOf(plain->get());
    REQUIRE(server->ServeMetrics(*std::move(plain)).ok());
  }
  if (!config.agents_listen.empty()) {
    auto agents = ListenTcp("127.0.0.1:0");
    REQUIRE(agents.ok());
    agents_port = *PortOf(agents->get());
    REQUIRE(server->ServeAgents(*std::move(agents)).ok());
  }
  server->Start();
  proxy::RouteSource source{"127.0.0.1:" + std::to_string(backend->port()),
                            "carme-backend",
                            path + "/ca.pem",
                            path + "/proxy.pem",
                            path + "/proxy.key",
                            path + "/crl.pem"};
  watcher = std::make_unique<proxy::RouteWatcher>(
      source, [this](auto update) { server->Apply(std::move(update)); });
  watcher->Start();
  WaitForRoutes();
  if (config.jobs_host.empty()) cookie = OpenJob();
}

ProxyFixture::~ProxyFixture() {
  watcher.reset();
  server.reset();
}

void ProxyFixture::StartBackend(int at) {
  backend = std::make_unique<RouteServer>(site_ca, at);
  backend->SetSnapshot(Snapshot());
}

void ProxyFixture::WriteRevoked(const std::vector<std::string>& serials,
                                long life_s) const {
  Write(directory.path() + "/crl.pem", site_ca.RevocationList(serials, life_s));
}

v1::WatchRoutesResponse ProxyFixture::Snapshot() const {
  v1::WatchRoutesResponse snapshot;
  snapshot.set_snapshot(true);
  snapshot.mutable_keys()->set_ticket_public_key(grants.public_key());
  snapshot.mutable_keys()->set_job_ca_pem(job_ca.certificate_pem());
  v1::Route* route = snapshot.add_routes();
  route->set_job_id(kJob.value());
  route->set_address("127.0.0.1");
  route->set_port(static_cast<uint32_t>(agent.port()));
  return snapshot;
}

bool ProxyFixture::WaitForLoops(const std::function<bool()>& predicate) {
  // Two loops share the listener, so a few connections ask both.
  int in_a_row = 0;
  return WaitFor([&] {
    in_a_row = predicate() ? in_a_row + 1 : 0;
    return in_a_row >= 8;
  });
}

void ProxyFixture::WaitForRoutes() {
  // A forged ticket is answered 503 while a loop knows nothing.
  CHECK(WaitForLoops([&] {
    const bool by_path = !config.jobs_host.empty();
    const std::string host = by_path ? config.jobs_host : kJobHost;
    const std::string prefix = by_path ? "/" + kJob.value() : "";
    auto client = Connect(host);
    return client->Ask(Request("GET " + prefix + "/.carme/open?ticket=x", host))
               .status == 403;
  }));
}

TlsClient::Options ProxyFixture::ClientOptions(const std::string& host) const {
  TlsClient::Options options;
  options.server_name = host;
  options.ca_pem = site_ca.certificate_pem();
  const proxy::LoadBalancers& balancers = config.load_balancers;
  if (balancers.proxy_protocol &&
      balancers.networks == std::vector<std::string>{"127.0.0.1"}) {
    options.first = "PROXY UNKNOWN\r\n";
  }
  return options;
}

std::unique_ptr<TlsClient> ProxyFixture::Connect(const std::string& host) {
  auto client = std::make_unique<TlsClient>(port, ClientOptions(host));
  CHECK(client->connected());
  return client;
}

std::string ProxyFixture::Ticket(const JobId& job, const std::string& session,
                                 absl::Duration lives) const {
  const absl::Time now = clock.Now();
  return grants.Ticket(grants.Grant(job, session, now + lives), now,
                       now + absl::Seconds(30));
}

std::string ProxyFixture::OpenJob(const std::string& host,
                                  const std::string& session,
                                  absl::Duration lives) {
  auto client = Connect(host);
  JobId job{host.substr(0, host.find('.'))};
  TestResponse response = client->Ask(
      Request("GET /.carme/open?ticket=" + Ticket(job, session, lives), host));
  INFO(response.head);
  CHECK(response.status == 303);
  CHECK(response.Value("Location") == "/");
  const std::string set = response.Value("Set-Cookie");
  return set.substr(0, set.find(';'));
}

TestResponse ProxyFixture::Get(const std::string& path,
                               const std::string& fields) {
  auto client = Connect();
  return client->Ask(
      Request("GET " + path, kJobHost, "Cookie: " + cookie + "\r\n" + fields));
}

TestResponse ProxyFixture::AskWebsocket(TlsClient* client,
                                        const std::string& with_cookie) {
  return client->Ask(Request(
      "GET /ws", kJobHost,
      "Cookie: " + with_cookie +
          "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
          "Sec-WebSocket-Version: 13\r\nOrigin: https://" +
          kJobHost + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
}

std::unique_ptr<TlsClient> ProxyFixture::OpenWebsocket(
    const std::string& with_cookie) {
  auto client = Connect();
  TestResponse response = AskWebsocket(client.get(), with_cookie);
  INFO(response.head);
  CHECK(response.status == 101);
  CHECK(client->Read(5) == "hello");
  return client;
}

void ProxyFixture::RemoveRoute(const JobId& job) {
  v1::WatchRoutesResponse change;
  change.add_removed(job.value());
  backend->Push(change);
}

void ProxyFixture::Revoke(const std::string& session) {
  v1::WatchRoutesResponse change;
  v1::RevokedSession* revoked = change.add_revoked_sessions();
  revoked->set_session_id(session);
  revoked->mutable_forget_after()->set_seconds(
      absl::ToUnixSeconds(clock.Now() + absl::Hours(1)));
  backend->Push(change);
}

}  // namespace carme::testing
