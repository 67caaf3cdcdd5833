// carmectl backup and restore, the program itself.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/backend/backup/state_fixture.h"

namespace carme::backend {
namespace {

struct CommandResult {
  int code = -1;
  std::string output;  // with standard error
};

CommandResult RunCarmectl(const StateFixture& site,
                          const std::string& arguments) {
  const std::string output = site.Beside("output");
  const int status = std::system(
      absl::StrCat(CARME_CARMECTL, " ", arguments, " > ", output, " 2>&1")
          .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          ReadFile(output).value_or("")};
}

TEST_CASE("carmectl backup: refuses keys that are apart and left out",
          "[backend]") {
  StateFixture site;
  const CommandResult result =
      RunCarmectl(site, absl::StrCat("backup ", site.Beside("all"), " --keys ",
                                     site.Beside("keys"), " --without-keys"));
  CHECK(result.code == 2);
  CHECK_FALSE(IsPresent(site.Beside("all")));
}

TEST_CASE("carmectl restore: refuses a directory with a state", "[backend]") {
  StateFixture site;
  REQUIRE(RunCarmectl(site, absl::StrCat("backup ", site.Beside("all"),
                                         " --state-dir ", site.state()))
              .code == 0);
  const CommandResult result = RunCarmectl(
      site, absl::StrCat("restore ", site.Beside("all"), " --state-dir ",
                         site.state(), geteuid() == 0 ? " --owner root" : ""));
  CHECK(result.code == 1);
  CHECK_THAT(result.output, Catch::Contains("--replace"));
}

TEST_CASE("carmectl backup and restore: print the head and the next steps",
          "[backend]") {
  StateFixture site;
  const CommandResult saved =
      RunCarmectl(site, absl::StrCat("backup ", site.Beside("all"),
                                     " --state-dir ", site.state()));
  REQUIRE(saved.code == 0);
  CHECK_THAT(saved.output, Catch::Contains("audit head: "));
  CHECK_THAT(saved.output, Catch::Contains("not included: configuration"));
  const CommandResult restored = RunCarmectl(
      site, absl::StrCat("restore ", site.Beside("all"), " --state-dir ",
                         site.state(), " --replace",
                         geteuid() == 0 ? " --owner root" : ""));
  INFO(restored.output);
  REQUIRE(restored.code == 0);
  CHECK_THAT(restored.output, Catch::Contains("before-restore-"));
  CHECK_THAT(restored.output, Catch::Contains("1 sessions ended"));
  CHECK_THAT(restored.output, Catch::Contains("Start carme-backend"));
}

}  // namespace
}  // namespace carme::backend
