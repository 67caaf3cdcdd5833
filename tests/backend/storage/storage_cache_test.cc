#include "backend/storage/storage_cache.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

// Says how often it was asked; answers when it may.
class CountingReader : public StorageReader {
 public:
  absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& /*request_id*/) override {
    ++asked_;
    gate_.load()->WaitForNotification();
    if (failing_) return absl::UnavailableError("it is away");
    return std::vector<StorageArea>{{.name = user.name, .path = "/"}};
  }
  int asked() const { return asked_; }
  void set_failing(bool failing) { failing_ = failing; }
  void WaitFor(absl::Notification* gate) { gate_ = gate; }
  CountingReader() { open_.Notify(); }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> failing_ = false;
  absl::Notification open_;
  std::atomic<absl::Notification*> gate_ = &open_;
};

struct Site {
  FakeClock clock;
  CountingReader reader;
  StorageCache readings{&reader, &clock};
  absl::StatusOr<StorageReading> Get(const std::string& name, uint32_t uid) {
    return readings.Get({name, Uid(uid)}, "r1");
  }
};

TEST_CASE("storage cache: refuses more than four calls of a user",
          "[backend]") {
  Site site;
  absl::Notification gate;
  site.reader.WaitFor(&gate);
  std::atomic<int> refused = 0;
  std::atomic<int> served = 0;
  std::vector<std::thread> calls;
  for (int i = 0; i < StorageCache::kMaxPerUser + 3; ++i) {
    calls.emplace_back([&] {
      const auto reading = site.Get("ada", 20001);
      if (reading.ok()) ++served;
      if (absl::IsResourceExhausted(reading.status())) ++refused;
    });
  }
  CHECK(WaitFor([&] { return refused == 3 && site.reader.asked() == 1; }));
  gate.Notify();
  for (std::thread& call : calls) call.join();
  CHECK(served == StorageCache::kMaxPerUser);
  CHECK(site.reader.asked() == 1);  // all got the answer of the first
}

TEST_CASE("storage cache: limits concurrent calls of all users", "[backend]") {
  Site site;
  absl::Notification gate;
  site.reader.WaitFor(&gate);
  std::vector<std::thread> calls;
  for (uint32_t uid = 1; uid <= StorageCache::kMaxConcurrent; ++uid) {
    calls.emplace_back([&site, uid] { site.Get("one", uid).IgnoreError(); });
  }
  REQUIRE(WaitFor(
      [&] { return site.reader.asked() == StorageCache::kMaxConcurrent; }));
  CHECK(absl::IsResourceExhausted(site.Get("late", 999).status()));
  gate.Notify();
  for (std::thread& call : calls) call.join();
  CHECK_THAT(site.Get("late", 999), IsOk());
}

TEST_CASE("storage cache: keeps a failure for ten seconds", "[backend]") {
  Site site;
  site.reader.set_failing(true);
  CHECK(absl::IsUnavailable(site.Get("ada", 20001).status()));
  site.reader.set_failing(false);
  CHECK(absl::IsUnavailable(site.Get("ada", 20001).status()));
  CHECK(site.reader.asked() == 1);
  site.clock.Advance(absl::Seconds(10));
  CHECK_THAT(site.Get("ada", 20001), IsOk());
}

TEST_CASE("storage cache: keeps a result for a minute", "[backend]") {
  Site site;
  const absl::Time first = site.clock.Now();
  CHECK(site.Get("ada", 20001)->read_at == first);
  site.clock.Advance(absl::Seconds(59));
  CHECK(site.Get("ada", 20001)->read_at == first);
  CHECK(site.reader.asked() == 1);
  site.clock.Advance(absl::Seconds(1));
  CHECK(site.Get("ada", 20001)->read_at == site.clock.Now());
  CHECK(site.reader.asked() == 2);
}

TEST_CASE("storage cache: keeps users apart", "[backend]") {
  Site site;
  CHECK(site.Get("ada", 20001)->areas.at(0).name == "ada");
  CHECK(site.Get("bob", 20002)->areas.at(0).name == "bob");
  CHECK(site.Get("ada", 20001)->areas.at(0).name == "ada");
  CHECK(site.reader.asked() == 2);
}

}  // namespace
}  // namespace carme::backend
