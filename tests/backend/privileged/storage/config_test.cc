#include "backend/privileged/storage/config.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::storage_reader {
namespace {

using Kind = StorageAreaConfig::Kind;

constexpr char kMinimalConfig[] =
    "peer_user = \"carme\"\nallowed_group = \"carme-users\"\n";

absl::StatusOr<StorageConfig> Parse(const std::string& text) {
  const auto config = ParseStorageReaderConfig(kMinimalConfig + text, "x.toml");
  if (!config.ok()) return config.status();
  return config->storage;
}

std::string ErrorOf(const std::string& text) {
  const auto config = Parse(text);
  return config.ok() ? "" : std::string(config.status().message());
}

constexpr char kHome[] =
    "[[areas]]\nname = \"Home\"\npath = \"{home}\"\nkind = \"quota\"\n";

TEST_CASE("storage configuration: refuses unknown values", "[backend]") {
  struct Case {
    std::string text;
    std::string why;
  };
  const std::string area = "[[areas]]\nname = \"a\"\npath = \"/a\"\n";
  for (const Case& row : {
           Case{"[[areas]]\npath = \"/a\"\nkind = \"quota\"\n", "name"},
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
           Case{"[[areas]]\nname = \"a\"\npath = \"/{group}\"\n"
                "kind = \"quota\"\n",
                "together with a group_prefix"},
           Case{"[[areas]]\nname = \"a\"\npath = \"a\"\nkind = \"quota\"\n",
                "absolute path, or one that starts with {home}"},
           Case{"[[areas]]\nname = \"a\\nb\"\npath = \"/a\"\n"
                "kind = \"quota\"\n",
                "control characters"},
           Case{area + "kind = \"quota\"\nsize = 1\n", "unknown key"},
           Case{"area_timeout_s = 0\n", "area_timeout_s"},
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
                         "[[areas]]\nname = \"Project {group}\"\n"
                         "path = \"/project/{group}\"\nkind = \"filesystem\"\n"
                         "group_prefix = \"prj-\"\n"
                         "[[areas]]\nname = \"Work\"\npath = \"/work\"\n"
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

TEST_CASE("storage reader configuration: refuses to serve by default",
          "[backend]") {
  const auto config = ParseStorageReaderConfig("", "x.toml");
  REQUIRE_THAT(config, StatusIs(absl::StatusCode::kInvalidArgument));
  for (const char* key : {"peer_user", "allowed_group"}) {
    CHECK_THAT(std::string(config.status().message()), Catch::Contains(key));
  }
}

TEST_CASE("storage reader configuration: reports every error at once",
          "[backend]") {
  const std::string error = ErrorOf(
      "min_uid = 0\nmax_readings = 0\nreadings_per_minute = 0\n"
      "socket = \"run/socket\"\nagent = \"/opt/agent\"\n");
  for (const char* part : {":3: \"min_uid\"", ":4: \"max_readings\"",
                           ":5: \"readings_per_minute\"", ":6: \"socket\"",
                           "unknown key \"agent\""}) {
    CHECK_THAT(error, Catch::Contains(part));
  }
}

TEST_CASE("storage reader configuration: refuses a file others can write",
          "[backend]") {
  const TempDir dir;
  const std::string path = dir.File("storage-reader.toml");
  REQUIRE_THAT(WriteFile(path, kMinimalConfig, 0644), IsOk());
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  CHECK_THAT(LoadStorageReaderConfig(path),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK_FALSE(LoadStorageReaderConfig(dir.File("missing")).ok());
}

TEST_CASE("storage reader configuration: the example is valid", "[backend]") {
  const auto text = ReadFile(CARME_EXAMPLE_STORAGE_READER_TOML);
  REQUIRE_THAT(text, IsOk());
  const auto config = ParseStorageReaderConfig(*text, "storage-reader.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->peer_user == "carme");
  CHECK(config->policy.min_uid == 1000);
  CHECK(config->storage.areas.empty());
  // With each "#key" uncommented too: the file shows the defaults.
  std::string all = *text;
  for (size_t at = 0; (at = all.find("\n#", at)) != std::string::npos; ++at) {
    if (all[at + 2] != ' ') all.erase(at + 1, 1);
  }
  const auto full = ParseStorageReaderConfig(all, "storage-reader.toml");
  REQUIRE_THAT(full, IsOk());
  const StorageReaderConfig defaults;
  CHECK(full->socket == defaults.socket);
  CHECK(full->max_readings == defaults.max_readings);
  CHECK(full->readings_per_minute == defaults.readings_per_minute);
  CHECK(full->storage.timeout == defaults.storage.timeout);
}

TEST_CASE("storage reader configuration: the example's areas are valid",
          "[backend]") {
  std::string text = ReadFile(CARME_EXAMPLE_STORAGE_READER_TOML).value_or("");
  const size_t first = text.find("# [[areas]]");
  REQUIRE(first != std::string::npos);
  for (size_t at = first - 1; (at = text.find("\n#", at)) != std::string::npos;
       ++at) {
    text.erase(at + 1, text[at + 2] == ' ' ? 2 : 1);
  }
  const auto config = ParseStorageReaderConfig(text, "storage-reader.toml");
  INFO(config.status().ToString());
  REQUIRE_THAT(config, IsOk());
  CHECK(config->storage.areas.size() == 3);
}

}  // namespace
}  // namespace carme::storage_reader
