#include "backend/health/observations.h"

#include <catch2/catch.hpp>

#include "absl/strings/match.h"
#include "backend/slurm/cluster_detail.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

TEST_CASE("observations: the identity backend is down after two minutes",
          "[backend]") {
  const auto state_after = [](absl::Duration silence) {
    return ObserveIdentityBackend(kNow - silence, absl::Minutes(2),
                                  kNow - absl::Hours(1), kNow)
        .state();
  };
  CHECK(state_after(absl::Minutes(2)) == v1::HEALTH_STATE_DOWN);
  CHECK(state_after(absl::Seconds(119)) == v1::HEALTH_STATE_DEGRADED);
  CHECK(state_after(absl::Seconds(29)) == v1::HEALTH_STATE_OK);
  const auto state_without = [](absl::Duration uptime) {
    return ObserveIdentityBackend(absl::InfinitePast(), absl::Minutes(2),
                                  kNow - uptime, kNow)
        .state();
  };
  CHECK(state_without(absl::Seconds(29)) == v1::HEALTH_STATE_UNKNOWN);
  CHECK(state_without(absl::Seconds(30)) == v1::HEALTH_STATE_DOWN);
}

SlurmSnapshot ClusterOf(int nodes, bool reachable = true) {
  SlurmSnapshot snapshot;
  snapshot.cluster_name = "c1";
  snapshot.reachable = reachable;
  snapshot.since = kNow - absl::Hours(1);
  snapshot.asked_at = kNow;
  auto detail = std::make_shared<ClusterDetail>();
  for (int i = 1; i <= nodes; ++i) {
    SlurmNode node;
    node.name = "n" + std::to_string(i);
    snapshot.nodes.push_back(node);
    detail->nodes[node.name].state.condition = v1::NODE_CONDITION_FREE;
  }
  snapshot.detail = detail;
  return snapshot;
}

void Set(SlurmSnapshot* snapshot, const std::string& name,
         const NodeDetail& node) {
  auto detail = std::make_shared<ClusterDetail>(*snapshot->detail);
  detail->nodes[name] = node;
  snapshot->detail = detail;
}

Availability::State Observed(const absl::Status& status) {
  return {.status = status, .since = kNow, .observed_at = kNow};
}

TEST_CASE("health: reports unknown before the first observation", "[backend]") {
  CHECK(ObserveSlurmctld({}).state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveNodes({}).state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveRootProgram({}).state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveMail(true, {}, "smtp://m").state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveMail(false, {}, "").state() == v1::HEALTH_STATE_DISABLED);
  CHECK(ObserveDirectory({{"ldap1", {}}}).state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveProxies({}, kNow, kNow).state() == v1::HEALTH_STATE_UNKNOWN);
}

TEST_CASE(
    "health: slurmctld without a response is down, and its nodes are unknown",
    "[backend]") {
  SlurmSnapshot away = ClusterOf(2, /*reachable=*/false);
  away.problem = "slurmctld 24.11 does not work with libslurm 22.05.8";
  CHECK(ObserveSlurmctld(away).state() == v1::HEALTH_STATE_DOWN);
  CHECK(ObserveSlurmctld(away).detail() == away.problem);
  CHECK(ObserveSlurmctld(away).since().seconds() ==
        absl::ToUnixSeconds(kNow - absl::Hours(1)));
  CHECK(ObserveNodes(away).state() == v1::HEALTH_STATE_UNKNOWN);
  CHECK(ObserveSlurmctld(ClusterOf(2)).state() == v1::HEALTH_STATE_OK);
}

TEST_CASE("health: names unavailable nodes with their reason", "[backend]") {
  SlurmSnapshot snapshot = ClusterOf(3);
  CHECK(ObserveNodes(snapshot).state() == v1::HEALTH_STATE_OK);
  CHECK(ObserveNodes(snapshot).parts_size() == 0);
  Set(&snapshot, "n2",
      {.state = {v1::NODE_CONDITION_OUT, "", "IDLE+DRAIN"},
       .reason = "new disk",
       .reason_since = kNow - absl::Hours(2)});
  v1::ComponentHealth health = ObserveNodes(snapshot);
  CHECK(health.state() == v1::HEALTH_STATE_DEGRADED);
  CHECK(health.figures().at("nodes") == 3);
  CHECK(health.figures().at("nodes_available") == 2);
  REQUIRE(health.parts_size() == 1);
  CHECK(health.parts(0).name() == "n2");
  CHECK(health.parts(0).detail() == "IDLE+DRAIN: new disk");
  CHECK(health.parts(0).since().seconds() ==
        absl::ToUnixSeconds(kNow - absl::Hours(2)));
  for (const char* name : {"n1", "n2", "n3"}) {
    Set(&snapshot, name, {.state = {v1::NODE_CONDITION_DOWN, "", "DOWN"}});
  }
  CHECK(ObserveNodes(snapshot).state() == v1::HEALTH_STATE_DOWN);
}

TEST_CASE("health: a report names at most 100 nodes", "[backend]") {
  SlurmSnapshot snapshot = ClusterOf(300);
  for (int i = 1; i <= 300; ++i) {
    Set(&snapshot, "n" + std::to_string(i),
        {.state = {v1::NODE_CONDITION_DOWN, "", "DOWN"}});
  }
  const v1::ComponentHealth health = ObserveNodes(snapshot);
  CHECK(health.parts_size() == 100);
  CHECK(health.figures().at("nodes") == 300);
}

TEST_CASE("health: the directory works while one server does", "[backend]") {
  const Availability::State down = Observed(absl::UnavailableError("refused"));
  const v1::ComponentHealth one =
      ObserveDirectory({{"ldap1", Observed({})}, {"ldap2", down}});
  CHECK(one.state() == v1::HEALTH_STATE_DEGRADED);
  CHECK(one.parts(0).name() == "ldap2");  // what needs attention is first
  CHECK(one.parts(0).detail() == "refused");
  CHECK(ObserveDirectory({{"ldap1", down}, {"ldap2", down}}).state() ==
        v1::HEALTH_STATE_DOWN);
  CHECK(ObserveDirectory({{"ldap1", Observed({})}}).state() ==
        v1::HEALTH_STATE_OK);
}

TEST_CASE("health: a disk that is not writable is down", "[backend]") {
  const v1::ComponentHealth down = ObserveDatabase(
      Observed(absl::ResourceExhaustedError("database or disk is full")), "/");
  CHECK(down.state() == v1::HEALTH_STATE_DOWN);
  CHECK(absl::StrContains(down.detail(), "full"));
  CHECK(down.figures().at("total_bytes") > 0);
  // No such directory: nothing is known of its disk, and nothing made up.
  CHECK(ObserveDatabase(Observed({}), "/no/such/place").figures().empty());
}

TEST_CASE("health: the audit log reports that changes are refused",
          "[backend]") {
  const v1::ComponentHealth down =
      ObserveAuditLog({.status = absl::ResourceExhaustedError("full"),
                       .waiting = 3,
                       .head = {.sequence = 7}});
  CHECK(down.state() == v1::HEALTH_STATE_DOWN);
  CHECK(down.figures().at("waiting") == 3);
  CHECK(down.figures().at("head") == 7);
  CHECK(ObserveAuditLog({}).state() == v1::HEALTH_STATE_OK);
}

TEST_CASE("health: a proxy that is not connected is named", "[backend]") {
  const absl::Time started = kNow - absl::Hours(1);
  CHECK(ObserveProxies({}, started, kNow).state() == v1::HEALTH_STATE_DOWN);
  const v1::ComponentHealth one =
      ObserveProxies({{"192.0.2.1", true, started}, {"192.0.2.2", false, kNow}},
                     started, kNow);
  CHECK(one.state() == v1::HEALTH_STATE_DEGRADED);
  CHECK(one.parts(0).name() == "192.0.2.2");
  CHECK(ObserveProxies({{"192.0.2.1", true, started}}, started, kNow).state() ==
        v1::HEALTH_STATE_OK);
}

TEST_CASE("health: refused connections need attention for ten minutes",
          "[backend]") {
  const ConnectionCounts counts{.open = 5,
                                .addresses = 1,
                                .refused = 9,
                                .refused_at = kNow,
                                .refused_address = "10.77.0.11"};
  const v1::ComponentHealth health = ObserveAgentPort(counts, kNow);
  CHECK(health.state() == v1::HEALTH_STATE_DEGRADED);
  CHECK(absl::StrContains(health.detail(), "10.77.0.11"));
  CHECK(ObserveAgentPort(counts, kNow + absl::Minutes(11)).state() ==
        v1::HEALTH_STATE_OK);
  CHECK(ObserveAgentPort({}, kNow).state() == v1::HEALTH_STATE_OK);
}

TEST_CASE("health: certificates count by the one that ends first",
          "[backend]") {
  const CertificateHealth good{"backend", "b", kNow + absl::Hours(9000), false};
  const CertificateHealth soon{"proxy", "p", kNow + absl::Hours(48), true};
  const CertificateHealth over{"frontend", "f", kNow - absl::Hours(1), true};
  CHECK(ObserveCertificates({good}, kNow).state() == v1::HEALTH_STATE_OK);
  CHECK(ObserveCertificates({good, soon}, kNow).detail() ==
        "expire soon: proxy");
  CHECK(ObserveCertificates({good, soon, over}, kNow).state() ==
        v1::HEALTH_STATE_DOWN);
}

TEST_CASE("health: takes the state of slurmdbd from accounting", "[backend]") {
  CHECK(ObserveSlurmdbd({}).state() == v1::HEALTH_STATE_DISABLED);
  CHECK(ObserveSlurmdbd({.state = v1::Accounting::STATE_UNAVAILABLE}).state() ==
        v1::HEALTH_STATE_DOWN);
  CHECK(ObserveSlurmdbd({.state = v1::Accounting::STATE_HIDDEN}).state() ==
        v1::HEALTH_STATE_DEGRADED);
  CHECK(
      ObserveSlurmdbd({.state = v1::Accounting::STATE_AVAILABLE, .since = kNow})
          .since()
          .seconds() == absl::ToUnixSeconds(kNow));
}

}  // namespace
}  // namespace carme::backend
