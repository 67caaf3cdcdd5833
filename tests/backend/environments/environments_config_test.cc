#include "backend/environments/environments_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

absl::Status Read(const std::string& text, EnvironmentsConfig* config) {
  auto file = ConfigFile::Parse(text, "x").value();
  ReadEnvironmentsConfig(file.root().Table("environments"), config);
  return file.Finish();
}

TEST_CASE(
    "environments config: a directory must be absolute, a variable a name",
    "[backend]") {
  EnvironmentsConfig config;
  CHECK(Read("[environments]\n"
             "system_directories = [\"etc/edf\", \"/a/../b\"]\n"
             "[environments.variables]\n"
             "\"a-b\" = \"x\"\n",
             &config)
            .message() ==
        "x:2: \"environments.system_directories\": \"/a/../b\": expected "
        "absolute paths without \"..\"\n"
        "x:2: \"environments.system_directories\": \"etc/edf\": expected "
        "absolute paths without \"..\"\n"
        "x:4: \"environments.variables.a-b\": expected letters, digits and "
        "\"_\"");
}

TEST_CASE("environments config: sources of packages are addresses",
          "[backend]") {
  for (const char* line :
       {"pip_index_url = \"http://pip.example\"",
        "pip_index_url = \"https://u:p@pip.example\"",
        "debian_mirror_url = \"file:///debian\"",
        "debian_suite = \"trixie main\"",
        "conda_channel_url = \"https://conda.example\"",
        "micromamba = \"/opt/micromamba\"", "npm_url = \"https://x\""}) {
    INFO(line);
    EnvironmentsConfig config;
    CHECK_THAT(
        std::string(Read(std::string("[environments.packages]\n") + line + "\n",
                         &config)
                        .message()),
        Catch::Contains("x:"));
  }
  EnvironmentsConfig config;
  REQUIRE_THAT(Read("[environments.packages]\n"
                    "pip_index_url = \"https://pip.example/simple\"\n"
                    "debian_mirror_url = \"http://deb.example/debian\"\n"
                    "conda_channel_url = \"https://conda.example/forge\"\n"
                    "micromamba = \"/opt/micromamba\"\n",
                    &config),
               IsOk());
  CHECK(config.packages.pip_index_url == "https://pip.example/simple");
  CHECK(config.packages.debian_suite == "trixie");
}

TEST_CASE("environments config: disables environments by default",
          "[backend]") {
  EnvironmentsConfig config;
  REQUIRE_THAT(Read("", &config), IsOk());
  CHECK_FALSE(config.offered);
  REQUIRE_THAT(Read("[environments]\nedf = true\n"
                    "system_directories = [\"/opt/edf/\"]\n"
                    "variables = { SCRATCH = \"/scratch/{user}\" }\n",
                    &config),
               IsOk());
  CHECK(config.offered);
  CHECK(config.system_directories[0] == "/opt/edf");
  CHECK(config.variables.at("SCRATCH") == "/scratch/{user}");
}

}  // namespace
}  // namespace carme::backend
