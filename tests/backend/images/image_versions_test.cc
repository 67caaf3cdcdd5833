#include "backend/images/image_versions.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

const Uid kAda(20001);
const Uid kBob(20002);
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

ImageRecord OfSite() {
  ImageRecord record;
  record.image.id = "torch:2";
  return record;
}

ImageRecord OfAda() {
  ImageRecord record;
  record.image.id = "ada/mine:1";
  record.image.owner = "ada";
  record.image.owner_uid = kAda;
  return record;
}

struct Seen {
  explicit Seen(const ImageVersions& versions)
      : ada(versions.For(kAda, false)),
        bob(versions.For(kBob, false)),
        support(versions.For(Uid(20004), true)) {}
  uint64_t ada;
  uint64_t bob;
  uint64_t support;
};

TEST_CASE("image versions: another user's image changes nothing", "[backend]") {
  ImageVersions versions(kStart);
  const Seen before(versions);
  versions.AddChange(OfAda());
  const Seen after(versions);
  CHECK(after.bob == before.bob);
  CHECK(after.ada != before.ada);
  CHECK(after.support != before.support);
}

TEST_CASE("image versions: stay the same while no image changes", "[backend]") {
  ImageVersions versions(kStart);
  CHECK(versions.For(kAda, false) != 0);
  CHECK_FALSE(versions.TakeChanged());
  versions.AddChange(OfAda());
  const Seen before(versions);
  CHECK(versions.TakeChanged());
  CHECK_FALSE(versions.TakeChanged());
  CHECK(Seen(versions).ada == before.ada);
}

TEST_CASE("image versions: site images and shared ones count for all users",
          "[backend]") {
  ImageVersions versions(kStart);
  const Seen before(versions);
  SECTION("a site image") { versions.AddChange(OfSite()); }
  SECTION("a shared image") {
    ImageRecord shared = OfAda();
    shared.shares = {{.target = {.group = "chem"}}};
    versions.AddChange(shared);
  }
  const Seen after(versions);
  CHECK(after.ada != before.ada);
  CHECK(after.bob != before.bob);
  CHECK(after.support != before.support);
}

TEST_CASE("image versions: an update that no list shows is no change",
          "[backend]") {
  ImageVersions versions(kStart);
  const Seen before(versions);
  versions.AddUpdate(OfAda(), OfAda());
  versions.AddBuildStatus(OfSite(), OfSite());
  CHECK(Seen(versions).support == before.support);
  CHECK_FALSE(versions.TakeChanged());
}

TEST_CASE("image versions: an image that is shared counts for its owner, too",
          "[backend]") {
  ImageVersions versions(kStart);
  const Seen before(versions);
  ImageRecord shared = OfAda();
  shared.shares = {{.target = {.group = "chem"}}};
  versions.AddUpdate(OfAda(), shared);
  CHECK(Seen(versions).bob != before.bob);
  CHECK(versions.TakeChanged());
}

TEST_CASE("image versions: the progress of a build wakes nothing",
          "[backend]") {
  ImageVersions versions(kStart);
  const Seen before(versions);
  ImageRecord building = OfSite();
  building.build = ImageBuildStatus{.percent = 5};
  versions.AddBuildStatus(OfSite(), building);
  CHECK(Seen(versions).bob != before.bob);
  CHECK(Seen(versions).support != before.support);
  CHECK_FALSE(versions.TakeChanged());
}

TEST_CASE("image versions: the end of a build wakes watchers", "[backend]") {
  ImageVersions versions(kStart);
  ImageRecord failed = OfSite();
  failed.problem = "the disk is full";
  versions.AddBuildStatus(OfSite(), failed);
  CHECK(versions.TakeChanged());
}

TEST_CASE("image versions: those of a restarted process are others",
          "[backend]") {
  const ImageVersions first(kStart);
  const ImageVersions second(kStart + absl::Seconds(3));
  CHECK(first.For(kAda, false) != second.For(kAda, false));
}

}  // namespace
}  // namespace carme::backend
