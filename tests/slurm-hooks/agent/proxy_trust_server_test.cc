// Whose certificates a running agent lets in, while the site changes them.
#include <signal.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/pki/certificate.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/proxy_connection.h"

namespace carme::agent {
namespace {

constexpr char kProxy[] = "URI:carme://proxy/dmz";

struct RunningJob {
  RunningJob() : agent(backend) {
    agent.StartAndAwaitReady();
    app = agent.AppPid();
  }
  // Whether this certificate opens the app now.
  bool LetsIn(const testing::TestIdentity& proxy) const {
    ProxyConnection connection(backend.agent_port(), proxy);
    connection.Write(backend.Preamble() + "hello");
    return connection.Read(5) == "hello";
  }
  // One that stands, for which the app has answered.
  ProxyConnection Open(const testing::TestIdentity& proxy) const {
    ProxyConnection connection(backend.agent_port(), proxy);
    connection.Write(backend.Preamble() + "hello");
    REQUIRE(connection.Read(5) == "hello");
    return connection;
  }
  bool Says(const std::string& text) const { return agent.Says(text); }
  // The list that takes this one certificate back.
  std::string Revoking(const testing::TestIdentity& proxy) const {
    return backend.site_ca().RevocationList(
        {ReadCertificate(proxy.certificate_pem)->serial});
  }

  FakeAgentBackend backend;
  AgentProcess agent;
  pid_t app = 0;
};

bool StillAnswers(ProxyConnection& connection) {
  connection.Write("again");
  return connection.Read(5) == "again";
}

TEST_CASE("proxy trust: applies a revocation while the job runs", "[agent]") {
  RunningJob job;
  const testing::TestIdentity stolen = job.backend.Proxy();
  const testing::TestIdentity fresh = job.backend.Proxy();
  ProxyConnection of_stolen = job.Open(stolen);
  ProxyConnection of_fresh = job.Open(fresh);

  job.backend.SetProxyTrust(job.backend.ca_pem(), job.Revoking(stolen));
  CHECK(of_stolen.IsClosed());
  CHECK_FALSE(job.LetsIn(stolen));
  CHECK(StillAnswers(of_fresh));
  CHECK(job.LetsIn(fresh));
  CHECK(job.backend.registrations() == 1);
  CHECK(job.agent.AppPid() == job.app);
}

TEST_CASE("proxy trust: ignores invalid certificates", "[agent]") {
  RunningJob job;
  const testing::TestIdentity proxy = job.backend.Proxy();
  const testing::TestCa foreign("foreign");
  ProxyConnection standing = job.Open(proxy);
  job.backend.SetProxyTrust("no PEM", "");
  CHECK(WaitFor([&] { return job.Says("rejected, keeping the old ones"); }));
  job.backend.SetProxyTrust("", "");
  CHECK(WaitFor([&] { return job.Says("invalid proxy_ca_pem"); }));
  job.backend.SetProxyTrust(
      job.backend.ca_pem(),
      foreign.RevocationList({ReadCertificate(proxy.certificate_pem)->serial}));
  CHECK(WaitFor([&] { return job.Says("is not signed by the authority"); }));
  CHECK(StillAnswers(standing));
  CHECK(job.LetsIn(proxy));
}

TEST_CASE("proxy trust: a new authority does not disconnect running jobs",
          "[agent]") {
  RunningJob job;
  const testing::TestCa next("site");
  const testing::TestIdentity old_proxy = job.backend.Proxy();
  const testing::TestIdentity new_proxy = next.IssueNames(kProxy);
  ProxyConnection of_old = job.Open(old_proxy);
  CHECK_FALSE(job.LetsIn(new_proxy));

  // Both, while the certificates are issued anew.
  job.backend.SetProxyTrust(job.backend.ca_pem() + next.certificate_pem(), "");
  CHECK(WaitFor([&] { return job.LetsIn(new_proxy); }));
  ProxyConnection of_new = job.Open(new_proxy);
  CHECK(job.LetsIn(old_proxy));
  CHECK(StillAnswers(of_old));

  job.backend.SetProxyTrust(next.certificate_pem(), "");
  CHECK(of_old.IsClosed());
  CHECK_FALSE(job.LetsIn(old_proxy));
  CHECK(StillAnswers(of_new));
}

TEST_CASE(
    "proxy trust: is kept while the backend is unavailable, updated afterwards",
    "[agent]") {
  RunningJob job;
  const testing::TestIdentity proxy = job.backend.Proxy();
  ProxyConnection standing = job.Open(proxy);
  job.backend.Stop();
  job.backend.SetProxyTrust(job.backend.ca_pem(), job.Revoking(proxy));
  CHECK_FALSE(standing.IsClosed(absl::Seconds(3)));
  CHECK(job.LetsIn(proxy));
  job.backend.Restart();
  CHECK(standing.IsClosed());
  CHECK_FALSE(job.LetsIn(proxy));
}

TEST_CASE("proxy trust: reloads the authority of the backend", "[agent]") {
  RunningJob job;
  const testing::TestCa next("site");
  // It opens another stream when its nodes are configured, and then once a
  // minute.
  REQUIRE(WaitFor([&] { return job.backend.own_job().nodes_size() == 1; }));
  const int before = job.backend.follows();
  job.agent.WriteAuthorities(job.backend.ca_pem() + next.certificate_pem());
  job.backend.MoveTo(next);
  CHECK(WaitFor([&] { return job.backend.follows() > before; }));
  job.agent.WriteAuthorities("no PEM");
  job.agent.Signal(SIGTERM);
  CHECK(WaitFor([&] {
    return job.backend.LastReport("").state() == carme::v1::APP_STATE_ENDED;
  }));
  CHECK(job.Says("authorities not reloaded"));
}

}  // namespace
}  // namespace carme::agent
