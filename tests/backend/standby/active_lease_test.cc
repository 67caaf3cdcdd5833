#include "backend/standby/active_lease.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

class LeasedDirectory {
 public:
  explicit LeasedDirectory(absl::Duration duration)
      : lock_(StateLock::Take(dir_.path()).value()) {
    lease_ = ActiveLease::Start({.state_directory = dir_.path(),
                                 .duration = duration,
                                 .end_process = [this] { ended_ = true; }},
                                &lock_)
                 .value();
  }
  LeaseRecord Record() const { return **ReadLease(dir_.path()); }

  TempDir dir_;
  StateLock lock_;
  std::atomic<bool> ended_ = false;
  std::unique_ptr<ActiveLease> lease_;
};

TEST_CASE("active lease: ends the process when its lock file is replaced",
          "[backend]") {
  LeasedDirectory site(absl::Seconds(1));
  REQUIRE(unlink(site.dir_.File("backend.lock").c_str()) == 0);
  const auto second = StateLock::Take(site.dir_.path());
  REQUIRE_THAT(second, IsOk());
  CHECK(WaitFor([&] { return site.ended_.load(); }));
}

TEST_CASE("active lease: ends the process when it cannot be renewed",
          "[backend]") {
  LeasedDirectory site(absl::Milliseconds(600));
  const std::string gone = site.dir_.path() + ".gone";
  REQUIRE(rename(site.dir_.path().c_str(), gone.c_str()) == 0);
  CHECK(WaitFor([&] { return site.ended_.load(); }));
  REQUIRE(rename(gone.c_str(), site.dir_.path().c_str()) == 0);
}

TEST_CASE("active lease: is renewed, and released at the end", "[backend]") {
  LeasedDirectory site(absl::Milliseconds(800));
  const uint64_t first = site.Record().renewals;
  CHECK(WaitFor([&] { return site.Record().renewals > first + 5; }));
  CHECK_FALSE(site.ended_);
  CHECK_FALSE(site.Record().released);
  site.lease_.reset();
  CHECK(site.Record().released);
}

TEST_CASE("active lease: survives a record that another process overwrote",
          "[backend]") {
  LeasedDirectory site(absl::Milliseconds(400));
  LeaseRecord foreign = site.Record();
  foreign.holder.host = "another";
  REQUIRE_THAT(WriteLease(site.dir_.path(), foreign), IsOk());
  CHECK(WaitFor([&] { return site.Record().holder.host != "another"; }));
  CHECK_FALSE(site.ended_);
}

}  // namespace
}  // namespace carme::backend
