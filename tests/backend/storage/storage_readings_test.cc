#include "backend/storage/storage_readings.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/support/fake_clock.h"
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
  StorageReadings readings{&reader, &clock};
  absl::StatusOr<StorageReading> Of(const std::string& name, uint32_t uid) {
    return readings.Of({name, Uid(uid)}, "r1");
  }
};

TEST_CASE("storage readings: whoever has four calls inside waits outside",
          "[backend]") {
  Site site;
  absl::Notification gate;
  site.reader.WaitFor(&gate);
  std::atomic<int> refused = 0;
  std::atomic<int> served = 0;
  std::vector<std::thread> calls;
  for (int i = 0; i < StorageReadings::kMaxOfUser + 3; ++i) {
    calls.emplace_back([&] {
      const auto reading = site.Of("ada", 20001);
      if (reading.ok()) ++served;
      if (absl::IsResourceExhausted(reading.status())) ++refused;
    });
  }
  CHECK(WaitFor([&] { return refused == 3 && site.reader.asked() == 1; }));
  gate.Notify();
  for (std::thread& call : calls) call.join();
  CHECK(served == StorageReadings::kMaxOfUser);
  CHECK(site.reader.asked() == 1);  // all got the answer of the first
}

TEST_CASE("storage readings: few calls are inside, whosever they are",
          "[backend]") {
  Site site;
  absl::Notification gate;
  site.reader.WaitFor(&gate);
  std::vector<std::thread> calls;
  for (uint32_t uid = 1; uid <= StorageReadings::kMaxInside; ++uid) {
    calls.emplace_back([&site, uid] { site.Of("one", uid).IgnoreError(); });
  }
  REQUIRE(WaitFor(
      [&] { return site.reader.asked() == StorageReadings::kMaxInside; }));
  CHECK(absl::IsResourceExhausted(site.Of("late", 999).status()));
  gate.Notify();
  for (std::thread& call : calls) call.join();
  CHECK(site.Of("late", 999).ok());
}

TEST_CASE("storage readings: a failure is kept for ten seconds", "[backend]") {
  Site site;
  site.reader.set_failing(true);
  CHECK(absl::IsUnavailable(site.Of("ada", 20001).status()));
  site.reader.set_failing(false);
  CHECK(absl::IsUnavailable(site.Of("ada", 20001).status()));
  CHECK(site.reader.asked() == 1);
  site.clock.Advance(absl::Seconds(10));
  CHECK(site.Of("ada", 20001).ok());
}

TEST_CASE("storage readings: what was read is kept for a minute", "[backend]") {
  Site site;
  const absl::Time first = site.clock.Now();
  CHECK(site.Of("ada", 20001)->read_at == first);
  site.clock.Advance(absl::Seconds(59));
  CHECK(site.Of("ada", 20001)->read_at == first);
  CHECK(site.reader.asked() == 1);
  site.clock.Advance(absl::Seconds(1));
  CHECK(site.Of("ada", 20001)->read_at == site.clock.Now());
  CHECK(site.reader.asked() == 2);
}

TEST_CASE("storage readings: nobody sees another's", "[backend]") {
  Site site;
  CHECK(site.Of("ada", 20001)->areas.at(0).name == "ada");
  CHECK(site.Of("bob", 20002)->areas.at(0).name == "bob");
  CHECK(site.Of("ada", 20001)->areas.at(0).name == "ada");
  CHECK(site.reader.asked() == 2);
}

}  // namespace
}  // namespace carme::backend
