#include "backend/identity/session/directory_cache.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

struct Site {
  FakeClock clock;
  FakeDirectory directory;
  DirectoryCache directory_cache{&directory, &clock};

  absl::StatusCode Ask() {
    return directory_cache.LookUp("ada").status().code();
  }
};

TEST_CASE("directory cache: keeps NOT_FOUND briefly and reports since when",
          "[backend]") {
  Site site;
  site.directory.SetPerson("ada", absl::NotFoundError("not in the group"));
  const absl::Time first = site.clock.Now();
  CHECK(site.directory_cache.MissingSince("ada") == absl::InfiniteFuture());
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(site.directory.lookups() == 1);
  for (int i = 0; i < 30; ++i) {
    site.clock.Advance(absl::Hours(1));
    CHECK(site.Ask() == absl::StatusCode::kNotFound);
    site.directory_cache.EvictUnused();
    CHECK(site.directory_cache.MissingSince("ada") == first);
  }
  site.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  site.clock.Advance(DirectoryCache::kRetryAfter);
  CHECK(site.Ask() == absl::StatusCode::kOk);
  CHECK(site.directory_cache.MissingSince("ada") == absl::InfiniteFuture());
}

TEST_CASE(
    "directory cache: refuses without an entry while the directory is down",
    "[backend]") {
  Site site;
  site.directory.SetPerson("ada", absl::UnavailableError("away"));
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
  CHECK(site.directory.lookups() == 1);  // the second did not ask again so soon
  site.clock.Advance(DirectoryCache::kRetryAfter);
  site.directory.SetPerson("ada", FakeDirectory::Named("ada"));
  CHECK(site.Ask() == absl::StatusCode::kOk);
}

TEST_CASE("directory cache: Cached does not query the directory", "[backend]") {
  Site site;
  CHECK(absl::IsUnavailable(site.directory_cache.Cached("ada").status()));
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.clock.Advance(DirectoryCache::kStaleFor - absl::Seconds(1));
  CHECK_THAT(site.directory_cache.Cached("ada"), IsOk());
  site.directory.SetPerson("ada", absl::NotFoundError("left"));
  site.clock.Advance(absl::Seconds(1));
  CHECK(absl::IsUnavailable(site.directory_cache.Cached("ada").status()));
  CHECK(site.directory.lookups() == 1);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  CHECK(absl::IsNotFound(site.directory_cache.Cached("ada").status()));
}

TEST_CASE("directory cache: an answer is valid for five minutes", "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.clock.Advance(DirectoryCache::kFreshFor - absl::Seconds(1));
  CHECK(site.Ask() == absl::StatusCode::kOk);
  CHECK(site.directory.lookups() == 1);
  site.directory.SetPerson("ada", FakeDirectory::Named("ada", Role::kAdmin));
  site.clock.Advance(absl::Seconds(1));
  CHECK(site.directory_cache.LookUp("ada")->role == Role::kAdmin);
  CHECK(site.directory.lookups() == 2);
}

TEST_CASE(
    "directory cache: the last answer is used during an outage, for a time",
    "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.directory.SetPerson("ada", absl::UnavailableError("away"));
  for (int i = 0; i < 2; ++i) {
    site.clock.Advance(DirectoryCache::kFreshFor);
    CHECK(site.Ask() == absl::StatusCode::kOk);
  }
  site.clock.Advance(DirectoryCache::kFreshFor);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
}

TEST_CASE("directory cache: a negative answer replaces the old one",
          "[backend]") {
  Site site;
  CHECK(site.Ask() == absl::StatusCode::kOk);
  site.directory.SetPerson("ada", absl::NotFoundError("left"));
  site.clock.Advance(DirectoryCache::kFreshFor);
  CHECK(site.Ask() == absl::StatusCode::kNotFound);
  site.directory.SetPerson("ada", absl::UnavailableError("away"));
  site.clock.Advance(DirectoryCache::kRetryAfter);
  CHECK(site.Ask() == absl::StatusCode::kUnavailable);
}

TEST_CASE("directory cache: one caller queries, others use the cache or wait",
          "[backend]") {
  Site site;
  absl::Notification go;
  site.directory.HoldUntil(&go);
  std::atomic<int> ok = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back(
        [&] { ok += site.directory_cache.LookUp("ada").ok() ? 1 : 0; });
  }
  site.directory.AwaitLookups(1);
  go.Notify();
  for (std::thread& caller : callers) caller.join();
  CHECK(ok == 8);
  CHECK(site.directory.lookups() == 1);
}

}  // namespace
}  // namespace carme::backend
