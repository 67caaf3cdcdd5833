#include "backend/health/health_monitor.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

int64_t SecondsNow(const FakeClock& clock) {
  return absl::ToUnixSeconds(clock.Now());
}

v1::ComponentHealth InState(v1::HealthState state) {
  v1::ComponentHealth health;
  health.set_state(state);
  return health;
}

TEST_CASE("health monitor: keeps the start time until the state changes",
          "[backend]") {
  FakeClock clock;
  HealthMonitor monitor(&clock);
  v1::HealthState state = v1::HEALTH_STATE_OK;
  monitor.Add(v1::HEALTH_COMPONENT_DATABASE, [&] { return InState(state); });
  CHECK(monitor.Report().empty());
  const int64_t begin = SecondsNow(clock);
  monitor.Update();
  clock.Advance(absl::Minutes(5));
  monitor.Update();
  REQUIRE(monitor.Report().size() == 1);
  CHECK(monitor.Report()[0].component() == v1::HEALTH_COMPONENT_DATABASE);
  CHECK(monitor.Report()[0].since().seconds() == begin);
  CHECK(monitor.Report()[0].observed_at().seconds() == SecondsNow(clock));
  state = v1::HEALTH_STATE_DOWN;
  monitor.Update();
  CHECK(monitor.Report()[0].since().seconds() == SecondsNow(clock));
  clock.Advance(absl::Minutes(1));
  state = v1::HEALTH_STATE_OK;
  monitor.Update();
  CHECK(monitor.Report()[0].since().seconds() == SecondsNow(clock));
}

TEST_CASE("health monitor: an unknown state has no start time", "[backend]") {
  FakeClock clock;
  HealthMonitor monitor(&clock);
  monitor.Add(v1::HEALTH_COMPONENT_MAIL,
              [] { return InState(v1::HEALTH_STATE_DISABLED); });
  monitor.Add(v1::HEALTH_COMPONENT_NODES,
              [] { return InState(v1::HEALTH_STATE_UNKNOWN); });
  monitor.Update();
  for (const v1::ComponentHealth& health : monitor.Report()) {
    CHECK_FALSE(health.has_since());
  }
}

TEST_CASE("health monitor: each component has its own start", "[backend]") {
  FakeClock clock;
  HealthMonitor monitor(&clock);
  v1::HealthState second = v1::HEALTH_STATE_OK;
  monitor.Add(v1::HEALTH_COMPONENT_DIRECTORY, [&] {
    v1::ComponentHealth health = InState(v1::HEALTH_STATE_OK);
    health.add_parts()->set_name("ldap1");
    health.mutable_parts(0)->set_state(v1::HEALTH_STATE_OK);
    health.add_parts()->set_name("ldap2");
    health.mutable_parts(1)->set_state(second);
    return health;
  });
  const int64_t begin = SecondsNow(clock);
  monitor.Update();
  clock.Advance(absl::Minutes(1));
  second = v1::HEALTH_STATE_DOWN;
  monitor.Update();
  const v1::ComponentHealth health = monitor.Report()[0];
  CHECK(health.parts(0).since().seconds() == begin);
  CHECK(health.parts(1).since().seconds() == SecondsNow(clock));
  CHECK(health.parts(1).component() == v1::HEALTH_COMPONENT_DIRECTORY);
}

TEST_CASE("health monitor: keeps the time that the source reports",
          "[backend]") {
  FakeClock clock;
  HealthMonitor monitor(&clock);
  monitor.Add(v1::HEALTH_COMPONENT_SLURMCTLD, [] {
    v1::ComponentHealth health = InState(v1::HEALTH_STATE_DOWN);
    health.mutable_since()->set_seconds(77);
    return health;
  });
  monitor.Update();
  CHECK(monitor.Report()[0].since().seconds() == 77);
}

// One component, whose health the test changes.
struct Monitored {
  Monitored() {
    monitor.Add(v1::HEALTH_COMPONENT_DIRECTORY, [this] { return health; });
  }
  uint64_t Version() {
    clock.Advance(absl::Seconds(2));
    monitor.Update();
    return monitor.version();
  }
  FakeClock clock;
  HealthMonitor monitor{&clock};
  v1::ComponentHealth health = InState(v1::HEALTH_STATE_OK);
};

TEST_CASE("health monitor: the version is not known before the first update",
          "[backend]") {
  Monitored site;
  CHECK(site.monitor.version() == 0);
  CHECK(site.Version() != 0);
}

TEST_CASE("health monitor: a new observation is no new version", "[backend]") {
  Monitored site;
  const uint64_t version = site.Version();
  site.clock.Advance(absl::Hours(1));
  CHECK(site.Version() == version);
  site.health.mutable_observed_at()->set_seconds(SecondsNow(site.clock));
  CHECK(site.Version() == version);
}

TEST_CASE("health monitor: a new version for what a person must see",
          "[backend]") {
  Monitored site;
  site.health.add_parts()->set_name("ldap1");
  const uint64_t version = site.Version();
  SECTION("a state") { site.health.set_state(v1::HEALTH_STATE_DOWN); }
  SECTION("an error") { site.health.set_detail("connection refused"); }
  SECTION("a name") { site.health.set_name("beta"); }
  SECTION("a start") { site.health.mutable_since()->set_seconds(77); }
  SECTION("another part") { site.health.add_parts()->set_name("ldap2"); }
  SECTION("the state of a part") {
    site.health.mutable_parts(0)->set_state(v1::HEALTH_STATE_DOWN);
  }
  CHECK(site.Version() != version);
}

TEST_CASE("health monitor: figures change the version once a minute",
          "[backend]") {
  Monitored site;
  const uint64_t version = site.Version();
  (*site.health.mutable_figures())["free_bytes"] = 1000;
  CHECK(site.Version() == version);
  site.clock.Advance(absl::Minutes(1));
  const uint64_t later = site.Version();
  CHECK(later != version);
  CHECK(site.Version() == later);
}

}  // namespace
}  // namespace carme::backend
