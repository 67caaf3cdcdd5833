#include "slurm-hooks/agent/environment/image_digest.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

// Of "squashfs".
constexpr char kDigest[] =
    "5cce3f70c6cb9f62ab53e322fa3975d02128080e1341e41de3a8dd3712cf1607";

TEST_CASE("image digest: a changed image is refused with both digests",
          "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashfs", 0600), IsOk());
  CHECK_THAT(CheckImageDigest(dir.File("i"), kDigest, dir.File("cache")),
             IsOk());
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashed", 0600), IsOk());
  const absl::Status status =
      CheckImageDigest(dir.File("i"), kDigest, dir.File("cache"));
  CHECK(absl::IsFailedPrecondition(status));
  CHECK(status.message().find(std::string("expected ") + kDigest) !=
        std::string::npos);
}

TEST_CASE("image digest: refuses other than regular files", "[agent]") {
  TempDir dir;
  REQUIRE(mkfifo(dir.File("fifo").c_str(), 0600) == 0);
  CHECK(absl::IsFailedPrecondition(
      CheckImageDigest(dir.File("fifo"), kDigest, dir.File("cache"))));
  CHECK(absl::IsFailedPrecondition(
      CheckImageDigest(dir.path(), kDigest, dir.File("cache"))));
  CHECK(absl::IsNotFound(
      CheckImageDigest(dir.File("none"), kDigest, dir.File("cache"))));
}

TEST_CASE("image digest: ignores a corrupt cache", "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashfs", 0600), IsOk());
  REQUIRE_THAT(WriteFile(dir.File("cache"), "\n\n0 0 0\n\xff", 0600), IsOk());
  CHECK_THAT(CheckImageDigest(dir.File("i"), kDigest, dir.File("cache")),
             IsOk());
  CHECK_THAT(CheckImageDigest(dir.File("i"), kDigest, "/nonexistent/cache"),
             IsOk());
}

TEST_CASE("image digest: caches the digest of a file", "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashfs", 0600), IsOk());
  REQUIRE_THAT(CheckImageDigest(dir.File("i"), kDigest, dir.File("cache")),
               IsOk());
  const std::string first = ReadFile(dir.File("cache")).value();
  CHECK(first.find(kDigest) != std::string::npos);
  REQUIRE_THAT(CheckImageDigest(dir.File("i"), kDigest, dir.File("cache")),
               IsOk());
  CHECK(ReadFile(dir.File("cache")).value() == first);
}

TEST_CASE("image digest: copies another user's image and checks the copy",
          "[agent]") {
  TempDir dir;
  const std::string copy = dir.File("copy");
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashed", 0644), IsOk());
  CHECK(absl::IsFailedPrecondition(
      CopyCheckedImage(dir.File("i"), 8, kDigest, copy)));
  CHECK(absl::IsNotFound(ReadFile(copy).status()));
  // Larger than any disk by now: nothing of it is copied.
  REQUIRE(truncate(dir.File("i").c_str(), int64_t{1} << 40) == 0);
  CHECK(absl::IsFailedPrecondition(
      CopyCheckedImage(dir.File("i"), 8, kDigest, copy)));
  CHECK(absl::IsNotFound(ReadFile(copy).status()));
  REQUIRE(mkfifo(dir.File("fifo").c_str(), 0600) == 0);
  CHECK_FALSE(CopyCheckedImage(dir.File("fifo"), 8, kDigest, copy).ok());
  REQUIRE_THAT(WriteFile(dir.File("i"), "squashfs", 0644), IsOk());
  REQUIRE_THAT(CopyCheckedImage(dir.File("i"), 8, kDigest, copy), IsOk());
  // Whatever becomes of the original.
  REQUIRE_THAT(WriteFile(dir.File("i"), "evil", 0644), IsOk());
  CHECK(*ReadFile(copy) == "squashfs");
  // What lies there already is not written to, a link least of all.
  CHECK_FALSE(CopyCheckedImage(dir.File("i"), 8, kDigest, copy).ok());
}

}  // namespace
}  // namespace carme::agent
