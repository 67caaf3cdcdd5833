#include "common/config/config.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme {
namespace {

ConfigFile Parsed(const std::string& text) {
  auto file = ConfigFile::Parse(text, "x.toml");
  REQUIRE_THAT(file, IsOk());
  return *file;
}

std::string ErrorsOf(ConfigFile file) {
  return std::string(file.Finish().message());
}

TEST_CASE("config: reports an unknown key with file and line", "[common]") {
  ConfigFile file = Parsed("good = 1\nbad = 2\n");
  int good = 0;
  file.root().Read("good", &good);
  CHECK(ErrorsOf(file) == "x.toml:2: unknown key \"bad\"");
}

TEST_CASE("config: reports every error at once, in line order", "[common]") {
  ConfigFile file = Parsed("port = 70000\nname = 3\n[tls]\nkeey = \"k\"\n");
  int port = 443;
  std::string name, key;
  ConfigTable root = file.root();
  ConfigTable tls = root.Table("tls");
  tls.Read("key", &key, Required());
  root.Read("name", &name);
  root.Read("port", &port, Range(1, 65535));
  CHECK(ErrorsOf(file) ==
        "x.toml:1: \"port\": 70000 is out of range: expected 1 to 65535\n"
        "x.toml:2: \"name\": expected a string\n"
        "x.toml:3: \"tls.key\" is missing\n"
        "x.toml:4: unknown key \"tls.keey\"");
}

TEST_CASE("config: an empty required string is refused", "[common]") {
  ConfigFile file = Parsed("a = \"\"\n");
  std::string a;
  file.root().Read("a", &a, Required());
  CHECK(ErrorsOf(file) == "x.toml:1: \"a\": must not be empty");
}

TEST_CASE("config: a list with a number in it is refused", "[common]") {
  ConfigFile file = Parsed("a = [\"x\", 1]\n");
  std::vector<std::string> a;
  file.root().Read("a", &a);
  CHECK(ErrorsOf(file) == "x.toml:1: \"a\": expected a list of strings");
}

TEST_CASE("config: a negative duration is refused", "[common]") {
  ConfigFile file = Parsed("idle_s = -1\n");
  absl::Duration idle = absl::Seconds(5);
  file.root().Read("idle_s", &idle);
  CHECK_FALSE(file.Finish().ok());
}

TEST_CASE("config: broken TOML names its line", "[common]") {
  auto file = ConfigFile::Parse("a = 1\nb = = 2\n", "x.toml");
  REQUIRE_FALSE(file.ok());
  CHECK(std::string(file.status().message()).rfind("x.toml:2: ", 0) == 0);
}

TEST_CASE("config: refuses a file that is not configured, with the remedy",
          "[common]") {
  auto file = ConfigFile::Parse("\nconfigured = false\nbad = 1\n", "x.toml");
  REQUIRE_FALSE(file.ok());
  CHECK(IsNotConfigured(file.status()));
  CHECK(file.status().message() ==
        "x.toml:2: not configured: set the keys of this file for your site, "
        "then delete the line \"configured = false\"");
  CHECK_FALSE(ConfigFile::Parse("configured = 0\n", "x.toml").ok());
}

TEST_CASE("config: a file may say that it is configured", "[common]") {
  ConfigFile file = Parsed("configured = true\nbad = 1\n");
  file.root();
  const absl::Status errors = file.Finish();
  CHECK_FALSE(IsNotConfigured(errors));
  CHECK(errors.message() == "x.toml:2: unknown key \"bad\"");
}

TEST_CASE("config: absent keys leave their defaults", "[common]") {
  ConfigFile file = Parsed("");
  int loops = 4;
  absl::Duration idle = absl::Seconds(5);
  ConfigTable root = file.root();
  root.Read("loops", &loops);
  root.Table("sessions").Read("idle_s", &idle);
  CHECK_THAT(file.Finish(), IsOk());
  CHECK(loops == 4);
  CHECK(idle == absl::Seconds(5));
}

TEST_CASE("config: a duration's suffix is its unit", "[common]") {
  ConfigFile file = Parsed("a_ms = 5\nb_s = 5\nc_min = 5\n");
  absl::Duration a, b, c;
  ConfigTable root = file.root();
  root.Read("a_ms", &a);
  root.Read("b_s", &b);
  root.Read("c_min", &c);
  CHECK_THAT(file.Finish(), IsOk());
  CHECK(a == absl::Milliseconds(5));
  CHECK(b == absl::Seconds(5));
  CHECK(c == absl::Minutes(5));
}

TEST_CASE("config: a table lists its keys", "[common]") {
  ConfigFile file = Parsed("[groups]\nbeta=[\"x\"]\nalpha=[\"y\"]\n");
  ConfigTable groups = file.root().Table("groups");
  std::string seen;
  for (const std::string& key : groups.Keys()) {
    std::vector<std::string> values;
    groups.Read(key, &values);
    seen += key + "=" + values.at(0) + " ";
  }
  CHECK_THAT(file.Finish(), IsOk());
  CHECK(seen == "alpha=y beta=x ");
  CHECK(file.root().Table("absent").Keys().empty());
}

TEST_CASE("config: arrays of tables are read in order", "[common]") {
  ConfigFile file = Parsed("[[apps]]\nid=\"a\"\n[[apps]]\nid=\"b\"\n");
  std::string ids;
  for (ConfigTable table : file.root().Tables("apps")) {
    std::string id;
    table.Read("id", &id, Required());
    ids += id;
  }
  CHECK_THAT(file.Finish(), IsOk());
  CHECK(ids == "ab");
}

}  // namespace
}  // namespace carme
