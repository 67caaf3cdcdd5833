// What --environment does to the environment of the command that submits.
#include "slurm-hooks/spank/submit_side.h"

#include <signal.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/edf/render.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

// This process as a user's shell left it: a home, and nothing chosen.
class Shell {
 public:
  Shell() {
    setenv("HOME", directory_.path().c_str(), 1);
    setenv("USER", "ada", 1);
    unsetenv("EDF_PATH");
    unsetenv(kExpandedVariable);
    unsetenv(kChoiceVariable);
  }
  // The path of a file with this text.
  std::string Environment(const std::string& text) {
    REQUIRE_THAT(WriteFile(directory_.File("job.toml"), text, 0644), IsOk());
    return directory_.File("job.toml");
  }

 private:
  TempDir directory_;
};

std::string Variable(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "unset" : value;
}

constexpr char kRendered[] =
    "image = \"store#torch\"\nmounts = []\nworkdir = \"/scratch/ada\"\n"
    "writable = true\nentrypoint = false\ndevices = []\n";

// Why the command must not continue; empty: it continues.
std::string Pass(const std::optional<std::string>& option) {
  return PassEnvironmentOn(CARME_CLI, option).value_or("");
}

TEST_CASE("submit side: refuses an EDF that carme refuses", "[edf]") {
  Shell shell;
  const std::string path = shell.Environment("image = \"a\"\nwritable = 1\n");
  for (const std::string& name : {path, std::string("nowhere"),
                                  std::string("--help"), std::string("-x")}) {
    INFO(name);
    CHECK(Pass(name) == "\"" + name + "\" is refused");
    CHECK(Variable(kExpandedVariable) == "unset");
  }
}

TEST_CASE("submit side: refuses when it cannot ask carme", "[edf]") {
  Shell shell;
  const std::string path = shell.Environment("image = \"a\"\n");
  CHECK(PassEnvironmentOn("/nowhere/carme", path) ==
        "cannot run \"/nowhere/carme\": No such file or directory");
  CHECK(PassEnvironmentOn("", path).has_value());
  signal(SIGCHLD, SIG_IGN);  // then its exit code is lost
  CHECK(Pass(path) == "\"" + path + "\" is refused");
  signal(SIGCHLD, SIG_DFL);
  CHECK(Variable(kExpandedVariable) == "unset");
}

TEST_CASE("submit side: refuses an EDF that is too long", "[edf]") {
  Shell shell;
  std::string text = "image = \"a\"\n[env]\n";
  for (const char* key : {"A", "B", "C"}) {
    text += std::string(key) + " = \"" + std::string(25000, 'x') + "\"\n";
  }
  const std::string path = shell.Environment(text);
  CHECK(Pass(path) == "\"" + path +
                          "\" is 75119 bytes long when rendered: expected at "
                          "most 65536");
  CHECK(Variable(kExpandedVariable) == "unset");
}

TEST_CASE("submit side: does nothing without an environment", "[edf]") {
  Shell shell;
  CHECK(Pass(std::nullopt).empty());
  CHECK(Variable(kExpandedVariable) == "unset");
  // a step of a job that is in an environment is in it too
  setenv(kExpandedVariable, kRendered, 1);
  setenv(kChoiceVariable, "", 1);
  CHECK(Pass(std::nullopt).empty());
  CHECK(Variable(kExpandedVariable) == kRendered);
}

TEST_CASE("submit side: passes the rendered environment on", "[edf]") {
  Shell shell;
  const std::string path = shell.Environment(
      "image = \"store#torch\"\nworkdir = \"/scratch/${USER}\"\n");
  const std::string other = path + ".other.toml";
  SECTION("of the option") { CHECK(Pass(path).empty()); }
  SECTION("of the variable") {
    setenv(kChoiceVariable, path.c_str(), 1);
    CHECK(Pass(std::nullopt).empty());
  }
  SECTION("of the option where both are") {
    setenv(kChoiceVariable, other.c_str(), 1);
    CHECK(Pass(path).empty());
  }
  SECTION("in place of an inherited one") {
    setenv(kExpandedVariable, "image = \"old\"", 1);
    CHECK(Pass(path).empty());
  }
  CHECK(Variable(kExpandedVariable) == kRendered);
  CHECK(ReadRenderedEdf(kRendered).edf);
  // a node would not find its file
  CHECK(Variable(kChoiceVariable) == "unset");
}

TEST_CASE("submit side: refuses an empty option", "[edf]") {
  Shell shell;
  setenv(kExpandedVariable, kRendered, 1);
  setenv(kChoiceVariable, "nowhere", 1);
  CHECK(Pass("").empty());
  CHECK(Variable(kExpandedVariable) == "unset");
  CHECK(Variable(kChoiceVariable) == "unset");
}

}  // namespace
}  // namespace carme
