#include "slurm-hooks/agent/app_command.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace carme::agent {
namespace {

const AppPlaces kPlaces = {"/run/j/app.sock", "/run/j", "x.jobs.example:8443"};
const UserAccount kAda = {"ada", "/home/ada", "/bin/bash"};

bool Has(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

TEST_CASE("app command: other braces stay as they are", "[agent]") {
  for (const std::string text :
       {"{}", "{ socket}", "{SOCKET}", "{\"a\": {}}", "{socket", "{{", ""}) {
    CHECK(Substitute(std::string_view(text), kPlaces) == text);
  }
}

TEST_CASE("app command: what is put in is not read again", "[agent]") {
  const AppPlaces nested = {"{dir}", "{host}", "{socket}"};
  CHECK(Substitute(std::string_view("{socket}{dir}{host}"), nested) ==
        "{dir}{host}{socket}");
}

TEST_CASE("app command: each word is replaced wherever it stands", "[agent]") {
  const std::vector<std::string> command = {"app", "--sock={socket}",
                                            "{dir}/{dir}", "a b;$(c){host}"};
  CHECK(Substitute(command, kPlaces) ==
        std::vector<std::string>{"app", "--sock=/run/j/app.sock",
                                 "/run/j//run/j",
                                 "a b;$(c)x.jobs.example:8443"});
}

TEST_CASE("app environment: the job's own values win", "[agent]") {
  const auto entries =
      AppEnvironment({"HOME=/scratch/ada", "SLURM_JOB_ID=7", "nonsense", "=x"},
                     kAda, "/run/j");
  CHECK(Has(entries, "HOME=/scratch/ada"));
  CHECK(Has(entries, "SLURM_JOB_ID=7"));
  CHECK_FALSE(Has(entries, "nonsense"));
  CHECK_FALSE(Has(entries, "=x"));
}

TEST_CASE("app environment: what is missing comes from the account",
          "[agent]") {
  const auto entries = AppEnvironment({}, kAda, "/run/j");
  CHECK(Has(entries, "HOME=/home/ada"));
  CHECK(Has(entries, "USER=ada"));
  CHECK(Has(entries, "SHELL=/bin/bash"));
  CHECK(Has(entries, "PATH=/usr/local/bin:/usr/bin:/bin"));
}

TEST_CASE("app environment: runtime directories are always the job's",
          "[agent]") {
  const auto entries = AppEnvironment(
      {"XDG_RUNTIME_DIR=/run/user/1", "JUPYTER_RUNTIME_DIR=/tmp"}, kAda,
      "/run/j");
  CHECK(Has(entries, "XDG_RUNTIME_DIR=/run/j"));
  CHECK(Has(entries, "JUPYTER_RUNTIME_DIR=/run/j/jupyter"));
}

}  // namespace
}  // namespace carme::agent
