// A whole proxy with real neighbours: an app behind an agent, another as the
// frontend, a backend that sends the routes.
#ifndef CARME_TESTS_PROXY_PROXY_FIXTURE_H_
#define CARME_TESTS_PROXY_PROXY_FIXTURE_H_

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/ids.h"
#include "proxy/proxy_server.h"
#include "proxy/route_watcher.h"
#include "tests/net/test_ca.h"
#include "tests/proxy/echo_app.h"
#include "tests/proxy/grants.h"
#include "tests/proxy/mini_agent.h"
#include "tests/proxy/movable_clock.h"
#include "tests/proxy/route_server.h"
#include "tests/proxy/tls_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::testing {

inline const JobId kJob("j23456789abcdefg");
inline const JobId kOtherJob("k23456789abcdefg");
inline constexpr char kPortalHost[] = "portal.test";
inline constexpr char kJobHost[] = "j23456789abcdefg.jobs.test";
inline constexpr char kOtherJobHost[] = "k23456789abcdefg.jobs.test";
// Of a site of paths.
inline constexpr char kAllJobsHost[] = "all.jobs.test";

// Far more than a busy machine needs to end a connection, and less than any
// time-out that would end it as well.
inline constexpr absl::Duration kSoon = absl::Seconds(20);

class ProxyFixture {
 public:
  // `change` may alter the configuration before the start. At a site of paths
  // no cookie is there yet.
  explicit ProxyFixture(
      const std::function<void(proxy::ProxyConfig&)>& change = nullptr);
  ~ProxyFixture();

  // A new connection for that host.
  std::unique_ptr<TlsClient> Connect(const std::string& host = kJobHost);
  TlsClient::Options ClientOptions(const std::string& host) const;

  // A ticket that is good now; `lives` is the grant's life.
  std::string Ticket(const JobId& job = kJob,
                     const std::string& session = "session-1",
                     absl::Duration lives = absl::Hours(1)) const;
  // Redeems a ticket; the Cookie field's value.
  std::string OpenJob(const std::string& host = kJobHost,
                      const std::string& session = "session-1",
                      absl::Duration lives = absl::Hours(1));
  // GET as the owner of the job.
  TestResponse Get(const std::string& path, const std::string& fields = "");
  // Asks for a websocket to the job's app.
  static TestResponse AskWebsocket(TlsClient* client,
                                   const std::string& with_cookie);
  // Opens one; it has said hello.
  std::unique_ptr<TlsClient> OpenWebsocket(const std::string& cookie);

  v1::WatchRoutesResponse Snapshot() const;
  void RemoveRoute(const JobId& job);
  void Revoke(const std::string& session);
  // Until it is true on all loops; each has heard when one has, but takes it
  // when it runs. `predicate` makes a connection of its own.
  static bool WaitForLoops(const std::function<bool()>& predicate);
  // A message has been applied on all loops.
  void WaitForRoutes();
  void StartBackend(int port = 0);
  // The site's list from now on.
  void WriteRevoked(const std::vector<std::string>& serials,
                    long life_s = 3600) const;

  TestCa site_ca{"site ca"};
  TestCa job_ca{"job ca"};
  TempDir directory;
  GrantMaker grants;
  EchoApp app, frontend;
  MiniAgent agent{kJob, job_ca, site_ca, grants.public_key(), app.port()};
  std::unique_ptr<RouteServer> backend;
  MovableClock clock;
  proxy::ProxyConfig config;
  std::unique_ptr<proxy::ProxyServer> server;
  std::unique_ptr<proxy::RouteWatcher> watcher;
  int port = 0;
  // Of plain HTTP, where the configuration has it; its address does not count.
  int redirect_port = 0, metrics_port = 0, agents_port = 0;
  std::string cookie;
};

// A request with the Host field in place.
std::string Request(const std::string& line, const std::string& host,
                    const std::string& fields = "",
                    const std::string& body = "");

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROXY_FIXTURE_H_
