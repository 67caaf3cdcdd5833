#include "backend/projects/project_text.h"

#include <catch2/catch.hpp>

#include "backend/projects/projects_config.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const std::vector<std::string> kWords = {"internal", "public"};

absl::Status Check(ProjectSettings settings) {
  return CheckSettings(kWords, &settings);
}

TEST_CASE("project text: refuses deceptive characters", "[backend]") {
  for (const std::string& name :
       {std::string(), std::string("  "), std::string("a\nb"),
        std::string("a\x1b[31m"), std::string("abc\xe2\x80\xae"),
        std::string(65, 'a'), std::string("\xff")}) {
    CHECK(absl::IsInvalidArgument(Check({.name = name})));
  }
  CHECK(absl::IsInvalidArgument(
      Check({.name = "a", .description = std::string(1001, 'a')})));
  CHECK(absl::IsInvalidArgument(Check({.name = "a", .description = "\a"})));
  CHECK(absl::IsInvalidArgument(
      Check({.name = "a", .classification = "secret"})));
}

TEST_CASE(
    "project text: any language, lines in the description, and the first "
    "classification",
    "[backend]") {
  ProjectSettings settings{.name = "Größe 研究", .description = "One\nTwo"};
  REQUIRE_THAT(CheckSettings(kWords, &settings), IsOk());
  CHECK(settings.classification == "internal");
  settings.classification = "public";
  REQUIRE_THAT(CheckSettings(kWords, &settings), IsOk());
  CHECK(settings.classification == "public");
}

TEST_CASE("project text: an account has plain characters", "[backend]") {
  for (const char* account : {"", "chem", "chem_01", "_a", "A.b-c", "0"}) {
    CHECK_THAT(CheckAccount(account), IsOk());
  }
  for (const std::string& account :
       {std::string("-chem"), std::string(".a"), std::string("a b"),
        std::string("a,b"), std::string("a;b"), std::string("ä"),
        std::string("a\nb"), std::string(65, 'a')}) {
    CHECK(absl::IsInvalidArgument(CheckAccount(account)));
  }
}

TEST_CASE("project text: an end is in the future", "[backend]") {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  CHECK_THAT(CheckEnd(std::nullopt, now), IsOk());
  CHECK_THAT(CheckEnd(now + absl::Seconds(1), now), IsOk());
  CHECK_FALSE(CheckEnd(now, now).ok());
  CHECK_FALSE(CheckEnd(absl::InfiniteFuture(), now).ok());
  CHECK_FALSE(CheckEnd(absl::InfinitePast(), now).ok());
}

absl::Status Read(const std::string& text) {
  absl::StatusOr<ConfigFile> file = ConfigFile::Parse(text, "x.toml");
  REQUIRE_THAT(file, IsOk());
  ProjectsConfig config;
  ReadProjectsConfig(file->root(), &config);
  return file->Finish();
}

TEST_CASE("projects config: classifications are a few different names",
          "[backend]") {
  CHECK_THAT(Read(""), IsOk());
  CHECK_THAT(Read("[projects]\nrequire_admin_approval = false\n"
                  "classifications = [\"open\", \"closed\"]\n"),
             IsOk());
  CHECK_FALSE(Read("[projects]\nclassifications = []\n").ok());
  CHECK_FALSE(Read("[projects]\nclassifications = [\"a\", \"a\"]\n").ok());
  CHECK_FALSE(Read("[projects]\nclassifications = [\"\"]\n").ok());
  CHECK_FALSE(Read("[projects]\nconfirms = true\n").ok());
}

}  // namespace
}  // namespace carme::backend
