#include "slurm-hooks/mount/plan/mount_config.h"

#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::mount {
namespace {

TEST_CASE("environment.toml: the example is the defaults", "[edf]") {
  const auto config = LoadMountConfig(CARME_EXAMPLE_ENVIRONMENT_TOML);
  INFO(config.status().message());
  REQUIRE_THAT(config, IsOk());
  CHECK(config->images == MountConfig().images);
  CHECK(config->devices == MountConfig().devices);
  CHECK(config->user_images == MountConfig().user_images);
  CHECK(config->nvidia_driver == MountConfig().nvidia_driver);
  CHECK(config->store.empty());
}

TEST_CASE("environment.toml: none is the defaults, a wrong one is refused",
          "[edf]") {
  TempDir directory;
  const std::string path = directory.File("environment.toml");
  REQUIRE_THAT(LoadMountConfig(path), IsOk());
  CHECK(LoadMountConfig(path)->images == MountConfig().images);
  for (const char* text :
       {"images = \"/a\"", "images = [\"a\"]", "devices = [\"/etc/passwd\"]",
        "user_images = 1", "other = 1", "nvidia_driver = [\"nvidia-smi\"]",
        "store = 1", "[[store]]\nid = \"a:1\"",
        "[[store]]\nid = \"a:1\"\npath = \"a\""}) {
    INFO(text);
    REQUIRE_THAT(WriteFile(path, text, 0644), IsOk());
    CHECK(absl::IsInvalidArgument(LoadMountConfig(path).status()));
  }
}

}  // namespace
}  // namespace carme::mount
