#include "slurm-hooks/mount/image_lookup.h"

#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/support/temp_dir.h"

namespace carme::mount {
namespace {

using Kind = EdfImage::Kind;

EdfImage Image(Kind kind, const std::string& name,
               const std::string& tag = "") {
  EdfImage image;
  image.kind = kind;
  image.name = name;
  image.tag = tag;
  return image;
}

TEST_CASE("image lookup: what is not there is told with what was looked for",
          "[edf]") {
  const auto path = FindImage(Image(Kind::kRegistry, "ubuntu"), {"/a", "/b"});
  CHECK(absl::IsNotFound(path.status()));
  CHECK(path.status().message() ==
        "image \"ubuntu\" is not on this node, and nodes fetch no images: "
        "expected \"ubuntu+latest.sqsh\" in \"/a\" or \"/b\", "
        "or one that you have pulled (carme edf pull)");
}

TEST_CASE("image lookup: a digest is not guessed", "[edf]") {
  EdfImage image = Image(Kind::kRegistry, "ubuntu");
  image.digest = std::string(64, 'a');
  CHECK(absl::IsFailedPrecondition(FindImage(image, {"/a"}).status()));
}

TEST_CASE("image lookup: finds what was imported, by its name", "[edf]") {
  TempDir directory;
  const std::string folder = directory.path();
  const auto find = [&](const EdfImage& image, const std::string& file) {
    REQUIRE(WriteFile(folder + "/" + file, "", 0644).ok());
    const auto path = FindImage(image, {"/nowhere", folder});
    INFO(path.status().message());
    REQUIRE(path.ok());
    CHECK(*path == folder + "/" + file);
  };
  find(Image(Kind::kRegistry, "ubuntu"), "ubuntu+latest.sqsh");
  find(Image(Kind::kRegistry, "ubuntu", "24.04"), "ubuntu+24.04.sif");
  EdfImage other = Image(Kind::kRegistry, "nvidia/pytorch", "24.01-py3");
  other.registry = "nvcr.io";
  find(other, "nvcr.io+nvidia+pytorch+24.01-py3.sqsh");
  find(Image(Kind::kStore, "base"), "base.squashfs");
  find(Image(Kind::kStore, "base", "2"), "base+2.sqsh");
  EdfImage path;
  path.path = "/x";
  CHECK(FindImage(path, {}).value() == "/x");
}

}  // namespace
}  // namespace carme::mount
