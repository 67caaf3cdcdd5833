#include "backend/privileged/impersonator/authz/storage_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

using Kind = StorageAreaConfig::Kind;

absl::StatusOr<StorageConfig> Parse(const std::string& text) {
  auto file = ConfigFile::Parse(text, "x.toml");
  if (!file.ok()) return file.status();
  const StorageConfig config = ReadStorageConfig(file->root());
  const absl::Status finished = file->Finish();
  if (!finished.ok()) return finished;
  return config;
}

std::string ErrorOf(const std::string& text) {
  const auto config = Parse(text);
  return config.ok() ? "" : std::string(config.status().message());
}

constexpr char kHome[] =
    "[[storage]]\nname = \"Home\"\npath = \"{home}\"\nkind = \"quota\"\n";

TEST_CASE("storage configuration: refuses unknown values", "[backend]") {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::string area = "[[storage]]\nname = \"a\"\npath = \"/a\"\n";
  for (const Case& row : {
           Case{"[[storage]]\npath = \"/a\"\nkind = \"quota\"\n", "name"},
           Case{area, "kind"},
           Case{area + "kind = \"df\"\n", "found \"df\""},
           Case{area + "kind = \"command\"\n",
                "expected a command with this kind"},
           Case{area + "kind = \"quota\"\ncommand = [\"/bin/true\"]\n",
                "only with kind \"command\""},
           Case{area + "kind = \"command\"\ncommand = [\"true\"]\n",
                "absolute path of a program"},
           Case{area + "kind = \"command\"\ncommand = [\"/bin/{user}\"]\n",
                "absolute path of a program"},
           Case{area + "kind = \"command\"\ncommand = [\"/a\", \"{name}\"]\n",
                "expected only the placeholders"},
           Case{area + "kind = \"command\"\ncommand = [\"/a\", \"a}\"]\n",
                "expected only the placeholders"},
           Case{area + "kind = \"command\"\ncommand = [\"/a\"]\n"
                       "format = \"csv\"\n",
                "found \"csv\""},
           Case{area + "kind = \"quota\"\ngroup_prefix = \"p-\"\n",
                "together with a group_prefix"},
           Case{"[[storage]]\nname = \"a\"\npath = \"/{group}\"\n"
                "kind = \"quota\"\n",
                "together with a group_prefix"},
           Case{"[[storage]]\nname = \"a\"\npath = \"a\"\nkind = \"quota\"\n",
                "absolute path, or one that starts with {home}"},
           Case{"[[storage]]\nname = \"a\\nb\"\npath = \"/a\"\n"
                "kind = \"quota\"\n",
                "control characters"},
           Case{area + "kind = \"quota\"\nsize = 1\n", "unknown key"},
           Case{"storage_timeout_s = 0\n", "storage_timeout_s"},
       }) {
    INFO(row.text);
    CHECK_THAT(ErrorOf(row.text), Catch::Contains(row.why));
  }
}

TEST_CASE("storage configuration: refuses a seventeenth area", "[backend]") {
  std::string text;
  for (int i = 0; i < 16; ++i) text += kHome;
  CHECK(ErrorOf(text).empty());
  CHECK_THAT(ErrorOf(text + kHome), Catch::Contains("at most 16 areas"));
}

TEST_CASE("storage configuration: has no areas by default", "[backend]") {
  const auto config = Parse("");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->areas.empty());
  CHECK(config->timeout == absl::Seconds(5));
}

TEST_CASE("storage configuration: keeps order and kinds", "[backend]") {
  const auto config =
      Parse(absl::StrCat(kHome,
                         "[[storage]]\nname = \"Project {group}\"\n"
                         "path = \"/project/{group}\"\nkind = \"filesystem\"\n"
                         "group_prefix = \"prj-\"\n"
                         "[[storage]]\nname = \"Work\"\npath = \"/work\"\n"
                         "kind = \"command\"\nformat = \"beegfs\"\n"
                         "command = [\"/usr/bin/beegfs-ctl\", \"--uid\", "
                         "\"{uid}\"]\n"));
  INFO(config.status().ToString());
  REQUIRE_THAT(config, IsOk());
  REQUIRE(config->areas.size() == 3);
  CHECK(config->areas[0].kind == Kind::kQuota);
  CHECK(config->areas[1].kind == Kind::kFilesystem);
  CHECK(config->areas[1].group_prefix == "prj-");
  CHECK(config->areas[2].kind == Kind::kCommand);
  CHECK(config->areas[2].command.size() == 3);
  CHECK(config->areas[2].format == StorageAreaConfig::Format::kBeegfs);
}

}  // namespace
}  // namespace carme::impersonator
