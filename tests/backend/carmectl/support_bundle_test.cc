#include "backend/carmectl/support/support_bundle.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/carmectl/support/shown_config.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

constexpr char kSecret[] = "Tr0ub4dor";

// Each text of the deployed file becomes a secret, and a table is added that
// has all keys of the file, also those of comments.
std::string WithSecrets(const std::string& toml) {
  const std::string value = absl::StrCat("\"p:", kSecret, "@x\"");
  const std::regex text("(^|\n)([a-z_]+) = (\"[^\n\"]*\"|\\[\"[^\n]*\"\\])");
  std::string result = absl::StrCat(
      std::regex_replace(toml, text, "$1$2 = " + value), "\n[all_keys]\n");
  const std::regex key("(^|\n)#?([a-z_]+) = ");
  std::set<std::string> keys;
  for (std::sregex_iterator found(toml.begin(), toml.end(), key), end;
       found != end; ++found) {
    if (keys.insert((*found)[2]).second) {
      absl::StrAppend(&result, (*found)[2].str(), " = ", value, "\n");
    }
  }
  return result;
}

TEST_CASE("support bundle: a text that looks like a secret is not shown",
          "[carmectl]") {
  for (const char* const toml :
       {"bind_password_file = \"Tr0ub4dor\"", "note = \"Tr0ub4dor\"",
        "url = \"https://ada:Tr0ub4dor@host/\"",
        "url = \"https://host/?token=Tr0ub4dor\"",
        "dial = [\"a:1\", \"x Tr0ub4dor\"]",
        "[apps.environment]\naddress = \"Tr0ub4dor\"",
        "[environment]\nlist = [\"Tr0ub4dor\", {id = \"Tr0ub4dor\"}]",
        "apps = [{command = [\"run\", \"--password=Tr0ub4dor\"]}]",
        "# Tr0ub4dor\nid = \"x\""}) {
    INFO(toml);
    const auto shown = ShownConfig(toml);
    REQUIRE_THAT(shown, IsOk());
    CHECK(shown->find(kSecret) == std::string::npos);
  }
  CHECK(ShownConfig("password = 123456").value().find("123456") ==
        std::string::npos);
  const auto invalid = ShownConfig("password = Tr0ub4dor");
  CHECK_THAT(invalid, StatusIs(absl::StatusCode::kInvalidArgument, "line 1"));
  CHECK(MessageOf(invalid).find(kSecret) == std::string::npos);
}

TEST_CASE("support bundle: harmless settings are shown", "[carmectl]") {
  const auto shown = ShownConfig(
      "[listen]\nclients = \"[::]:9443\"\n[tls]\nkey = \"/etc/carme/x.key\"\n"
      "[ldap]\nuser_base = \"ou=people,dc=example\"\n[slurm]\n"
      "poll_interval_ms = 200\nenabled = true\n");
  REQUIRE_THAT(shown, IsOk());
  for (const char* const value : {"[::]:9443", "/etc/carme/x.key",
                                  "ou=people,dc=example", "200", "true"}) {
    CHECK_THAT(*shown, Catch::Contains(value));
  }
}

TEST_CASE("support bundle: has no secret of any configuration file",
          "[carmectl]") {
  TempDir dir;
  const std::string config = dir.File("etc");
  std::filesystem::create_directory(config);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           absl::StrCat(CARME_SOURCE_DIR, "/deploy/config"))) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const std::string name = entry.path().filename().string();
    REQUIRE_THAT(
        WriteFile(config + "/" + name,
                  WithSecrets(ReadFile(entry.path().string()).value()), 0600),
        IsOk());
  }
  REQUIRE(files >= 6);
  REQUIRE_THAT(WriteFile(config + "/ldap-password", kSecret, 0600), IsOk());
  const SupportBundleOptions options{.file = dir.File("bundle.tar"),
                                     .config_directory = config,
                                     .listed_directories = {config},
                                     .log_lines = 0,
                                     .with_doctor = false,
                                     .now = absl::Now()};
  const ToolRunner no_tools({});
  REQUIRE_THAT(CreateSupportBundle(options, no_tools), IsOk());
  const std::string bundle = ReadFile(options.file, 1 << 24).value();
  CHECK(bundle.find(kSecret) == std::string::npos);
  CHECK(bundle.find("not available: line") == std::string::npos);
  CHECK_THAT(bundle, Catch::Contains("carme-support/config/backend.toml"));
  CHECK_THAT(bundle, Catch::Contains("ldap-password"));  // its name and mode
  struct stat info {};
  REQUIRE(stat(options.file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK_THAT(CreateSupportBundle(options, no_tools),
             StatusIs(absl::StatusCode::kAlreadyExists));
}

}  // namespace
}  // namespace carme::carmectl
