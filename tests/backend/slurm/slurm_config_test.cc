#include "backend/slurm/slurm_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

TEST_CASE("slurm configuration: refuses values out of range", "[backend]") {
  auto file = ConfigFile::Parse(
      "[slurm]\nconf = \"slurm.conf\"\npoll_interval_ms = 10\nfeature = \"\"\n"
      "[impersonator]\nsocket = \"x\"\ntimeout_s = 1\n",
      "backend.toml");
  REQUIRE_THAT(file, IsOk());
  ReadSlurmConfig(file->root());
  ReadImpersonatorClientConfig(file->root());
  const std::string errors(file->Finish().message());
  for (const char* part :
       {":2: \"slurm.conf\"", ":3: \"slurm.poll_interval_ms\"",
        ":4: \"slurm.feature\"", ":6: \"impersonator.socket\"",
        ":7: \"impersonator.timeout_s\""}) {
    CHECK_THAT(errors, Catch::Contains(part));
  }
}

TEST_CASE("slurm configuration: an empty file has defaults", "[backend]") {
  auto file = ConfigFile::Parse("", "backend.toml");
  REQUIRE_THAT(file, IsOk());
  CHECK(ReadSlurmConfig(file->root()).poll_interval ==
        absl::Milliseconds(1350));
  CHECK(ReadImpersonatorClientConfig(file->root()).socket ==
        "/run/carme-impersonator/socket");
  CHECK_THAT(file->Finish(), IsOk());
}

}  // namespace
}  // namespace carme::backend
