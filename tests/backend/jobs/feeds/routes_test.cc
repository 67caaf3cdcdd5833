#include "backend/jobs/feeds/routes.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_clock.h"

namespace carme::backend {
namespace {

const JobId kJob("aaaaaaaaaaaaaaaa");

TEST_CASE("routes: the first message is everything", "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  routes.Set(kJob, {"10.0.0.1", 34000});
  routes.Revoke({SessionId("s"), clock.Now() + absl::Hours(1)});
  const auto proxy = routes.Subscribe([] {});
  const RouteUpdates news = proxy->Drain();
  CHECK(news.snapshot);
  CHECK(news.routes.size() == 1);
  CHECK(news.revoked.size() == 1);
  CHECK_FALSE(proxy->Drain().snapshot);
}

TEST_CASE("routes: changes come as they are, the newest of each", "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  int woken = 0;
  const auto proxy = routes.Subscribe([&] { ++woken; });
  proxy->Drain();
  routes.Set(kJob, {"10.0.0.1", 34000});
  routes.Set(kJob, {"10.0.0.1", 34000});
  CHECK(woken == 1);
  routes.Remove(kJob);
  const RouteUpdates news = proxy->Drain();
  CHECK(news.routes.empty());
  CHECK(news.removed == std::vector<JobId>{kJob});
  routes.Remove(kJob);
  CHECK(woken == 2);
}

TEST_CASE("routes: a revocation is kept until its grants expire", "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  routes.Revoke({SessionId("s"), clock.Now() + absl::Hours(1)});
  clock.Advance(absl::Hours(2));
  CHECK(routes.Subscribe([] {})->Drain().revoked.empty());
}

TEST_CASE("routes: a restored session is sent", "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  const auto proxy = routes.Subscribe([] {});
  proxy->Drain();
  routes.Restore(SessionId("s"));
  CHECK(proxy->Drain().restored.empty());  // it was not revoked
  routes.Revoke({SessionId("s"), clock.Now() + absl::Hours(1)});
  routes.Revoke({SessionId("t"), clock.Now() + absl::Hours(1)});
  routes.Restore(SessionId("s"));
  RouteUpdates news = proxy->Drain();
  CHECK_FALSE(news.snapshot);
  REQUIRE(news.revoked.size() == 1);
  CHECK(news.revoked[0].id == SessionId("t"));
  CHECK(news.restored == std::vector<SessionId>{SessionId("s")});
  // A proxy that was away then has not forgotten it.
  news = routes.Subscribe([] {})->Drain();
  CHECK(news.restored == std::vector<SessionId>{SessionId("s")});
  // A restored user can be revoked again.
  routes.Revoke({SessionId("s"), clock.Now() + absl::Hours(1)});
  news = proxy->Drain();
  REQUIRE(news.revoked.size() == 1);
  CHECK(news.restored.empty());
  CHECK(routes.Subscribe([] {})->Drain().restored.empty());
}

TEST_CASE("routes: recent ends are sent to new subscribers for a day",
          "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  const JobId back("bbbbbbbbbbbbbbbb");
  routes.Set(kJob, {"10.0.0.1", 34000});
  routes.Set(back, {"10.0.0.1", 34001});
  routes.Remove(kJob);
  routes.Remove(back);
  routes.Set(back, {"10.0.0.1", 34001});
  const auto removed = [&] { return routes.Subscribe([] {})->Drain().removed; };
  CHECK(removed() == std::vector<JobId>{kJob});
  clock.Advance(absl::Hours(25));
  CHECK(removed().empty());
}

TEST_CASE("routes: a subscriber that does not read gets everything again",
          "[jobs]") {
  FakeClock clock;
  Routes routes(&clock);
  const auto proxy = routes.Subscribe([] {});
  proxy->Drain();
  for (int i = 0; i < 5000; ++i) {
    routes.Set(JobId(std::to_string(i)), {"10.0.0.1", 34000 + i});
  }
  const RouteUpdates news = proxy->Drain();
  CHECK(news.snapshot);
  CHECK(news.routes.size() == 5000);
}

}  // namespace
}  // namespace carme::backend
