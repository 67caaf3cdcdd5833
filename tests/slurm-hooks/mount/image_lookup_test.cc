#include "slurm-hooks/mount/plan/image_lookup.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "tests/support/status_matchers.h"
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

MountConfig In(const std::vector<std::string>& images) {
  MountConfig config;
  config.images = images;
  return config;
}

TEST_CASE(
    "image lookup: a missing image is reported with the paths that were tried",
    "[edf]") {
  const auto path =
      FindImage(Image(Kind::kRegistry, "ubuntu"), In({"/a", "/b"}), {});
  CHECK(absl::IsNotFound(path.status()));
  CHECK(path.status().message() ==
        "image \"ubuntu\" is not on this node, and nodes fetch no images: "
        "expected \"ubuntu+latest.sqsh\" in \"/a\" or \"/b\", "
        "or one that you have pulled (carme edf pull)");
}

TEST_CASE("image lookup: a digest is not guessed", "[edf]") {
  EdfImage image = Image(Kind::kRegistry, "ubuntu");
  image.digest = std::string(64, 'a');
  CHECK(absl::IsFailedPrecondition(FindImage(image, In({"/a"}), {}).status()));
}

TEST_CASE("image lookup: finds an imported image by name", "[edf]") {
  TempDir directory;
  const std::string folder = directory.path();
  const auto find = [&](const EdfImage& image, const std::string& file) {
    REQUIRE_THAT(WriteFile(folder + "/" + file, "", 0644), IsOk());
    const auto path = FindImage(image, In({"/nowhere", folder}), {});
    INFO(path.status().message());
    REQUIRE_THAT(path, IsOk());
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
  CHECK(FindImage(path, In({}), {}).value() == "/x");
}

TEST_CASE("image lookup: reports an unknown name of the store", "[edf]") {
  MountConfig config = In({"/a"});
  config.store = {{"base:1", "/images/base.sif"}};
  const ImageOwner ada = {"ada", "/home/ada"};
  for (const char* name : {"other", "bas", "bob/mine"}) {
    const auto path = FindImage(Image(Kind::kStore, name, "1"), config, ada);
    CHECK(absl::IsNotFound(path.status()));
  }
  CHECK(absl::IsNotFound(
      FindImage(Image(Kind::kStore, "base", "2"), config, ada).status()));
  CHECK(FindImage(Image(Kind::kStore, "ada/mine", "1"), config, ada)
            .status()
            .message() ==
        "image \"store#ada/mine:1\" is not known on this node: expected an "
        "image that the site lists in environment.toml, or "
        "\"/home/ada/carme-images/mine@1.sif\"; any other image can be named "
        "by its path, which the page Images shows");
}

TEST_CASE("image lookup: searches the site's stores, then the user's",
          "[edf]") {
  TempDir home;
  const ImageOwner ada = {"ada", home.path()};
  MountConfig config = In({"/a"});
  config.store = {{"base:2", "/images/new.sif"},
                  {"base:1", "/images/old.sif"},
                  {"team/torch:24", "/images/torch.sqsh"}};
  const auto find = [&](const std::string& name, const std::string& version) {
    const auto path =
        FindImage(Image(Kind::kStore, name, version), config, ada);
    return path.ok() ? *path : std::string(path.status().message());
  };
  CHECK(find("base", "1") == "/images/old.sif");
  CHECK(find("base", "") == "/images/new.sif");
  CHECK(find("team/torch", "24") == "/images/torch.sqsh");
  const std::string own = home.path() + "/carme-images/mine@1.sif";
  std::filesystem::create_directory(home.path() + "/carme-images");
  REQUIRE_THAT(WriteFile(own, "", 0644), IsOk());
  CHECK(find("ada/mine", "1") == own);
}

}  // namespace
}  // namespace carme::mount
