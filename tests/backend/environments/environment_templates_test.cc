#include "backend/environments/environment_templates.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

std::string ProblemsOf(const std::string& text) {
  return std::string(
      ReadEnvironmentTemplates(ConfigFile::Parse(text, "x").value())
          .status()
          .message());
}

TEST_CASE("environment templates: unknown keys are refused with their line",
          "[backend]") {
  CHECK_THAT(ProblemsOf("[[templates]]\nid = \"r\"\nname = \"R\"\n"
                        "script = \"rm\"\n"),
             Catch::Contains("x:4: ") && Catch::Contains("script"));
  CHECK_THAT(ProblemsOf("template = 1\n"), Catch::Contains("x:1: "));
}

TEST_CASE("environment templates: invalid values are refused", "[backend]") {
  const std::string good = "[[templates]]\nid = \"r\"\nname = \"R\"\n";
  for (const char* line :
       {"icon = \"skull\"", "image = \"base\"", "debian_packages = [\"bash-\"]",
        "pip_packages = [\"-r x\"]",
        "pip_packages = [\"x @ https://evil.example\"]",
        "conda_packages = [\"evil::x\"]", "description = \"a\\u0007\"",
        "variables = { \"A-B\" = \"x\" }", "variables = { SLURM_X = \"x\" }",
        "translations = { german = \"x\" }"}) {
    INFO(line);
    CHECK_THAT(ProblemsOf(good + line + "\n"), Catch::Contains("x:4: "));
  }
  CHECK_THAT(ProblemsOf("[[templates]]\nname = \"R\"\n"),
             Catch::Contains("id"));
  CHECK_THAT(ProblemsOf("[[templates]]\nid = \"R\"\nname = \"R\"\n"),
             Catch::Contains("a letter first"));
  CHECK_THAT(ProblemsOf(good + good),
             Catch::Contains("another template has the same id"));
}

TEST_CASE("environment templates: a refusal names the limit", "[backend]") {
  const std::string good = "[[templates]]\nid = \"r\"\nname = \"R\"\n";
  CHECK_THAT(
      ProblemsOf(good + "description = \"" + std::string(201, 'a') + "\"\n"),
      Catch::Contains("expected at most 200 printable characters"));
  std::string packages;
  for (int i = 0; i < 101; ++i) packages += "\"r-base\", ";
  CHECK_THAT(ProblemsOf(good + "debian_packages = [" + packages + "]\n"),
             Catch::Contains("x:4: ") && Catch::Contains("at most 100"));
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many +=
        "[[templates]]\nid = \"r" + std::to_string(i) + "\"\nname = \"R\"\n";
  }
  CHECK_THAT(ProblemsOf(many), Catch::Contains("expected at most 64"));
}

TEST_CASE("environment templates: has the icons of apps", "[backend]") {
  const std::string good = "[[templates]]\nid = \"r\"\nname = \"R\"\n";
  CHECK_THAT(ProblemsOf(good + "icon = \"files\"\n"), Catch::Equals(""));
  CHECK_THAT(ProblemsOf(good + "icon = \"\"\n"),
             Catch::Contains("expected app, jupyter, code, terminal, chart, "
                             "desktop or files"));
}

TEST_CASE("environment templates: the shipped file is valid", "[backend]") {
  const auto templates = LoadEnvironmentTemplates(CARME_ENVIRONMENT_TEMPLATES);
  REQUIRE_THAT(templates, IsOk());
  REQUIRE(templates->size() >= 6);
  for (const v1::EnvironmentTemplate& one : *templates) {
    INFO(one.id());
    CHECK_FALSE(one.description().empty());
    CHECK(one.translations().count("de") == 1);
    CHECK(one.translations().at("de") != one.description());
  }
}

}  // namespace
}  // namespace carme::backend
