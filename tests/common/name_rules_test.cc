#include "common/name_rules.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme {
namespace {

struct Row {
  const char* name;
  const NameRule& rule;
  std::vector<std::string> refused;
  std::vector<std::string> allowed;
};

std::string Times(size_t count, char c = 'a') { return std::string(count, c); }

TEST_CASE("name rules: refuse and allow", "[common]") {
  const std::string control = "a\nb";
  const std::string nul("a\0b", 3);
  const std::string umlaut = "\xc3\xa4";
  const Row rows[] = {
      {"job id",
       kJobIdRule,
       {"", Times(15), Times(17), "1" + Times(15), "A" + Times(15),
        Times(15) + "-"},
       {Times(16), "a" + Times(15, '9')}},
      {"app id",
       kAppIdRule,
       {"", "1a", "-a", "a_b", "A", Times(32)},
       {"a", "code-server", "a-", Times(31)}},
      {"request id",
       kRequestIdRule,
       {"", "a b", "a.b", Times(65)},
       {"_-aZ9", Times(64)}},
      {"machine name",
       kMachineNameRule,
       {"", "-a", "a.", "A", "a_b", Times(64)},
       {"a", "proxy-1.example.org", "1", Times(63)}},
      {"digest",
       kSha256HexRule,
       {"", Times(63), Times(65), Times(64, 'A'), Times(64, 'g')},
       {Times(64, 'f'), Times(64, '0')}},
      {"username",
       kUsernameRule,
       {"", "-ada", "a b", "a/b", Times(65)},
       {"ada", "ada@example.org", "a.b-c_d+e", "_a", Times(64)}},
      {"environment name",
       kEnvironmentNameRule,
       {"", ".a", "-a", "_a", "a/b", Times(64)},
       {"a", "1.x_y-z", Times(63)}},
      {"variable name",
       kVariableNameRule,
       {"", "1A", "A-B", "A=B"},
       {"A", "_a1", Times(1000)}},
      {"Slurm name",
       kSlurmNameRule,
       {"", "a,b", "a b", "n[1-2]", Times(65)},
       {"gpu_a100.80-gb", Times(64)}},
      {"GPU list", kGpuListRule, {"a b", "0;1", Times(256)}, {"", "0,2-3"}},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    for (const std::string& text : row.refused) {
      INFO(text);
      CHECK_FALSE(row.rule.Allows(text));
    }
    for (const std::string& text : row.allowed) {
      INFO(text);
      CHECK(row.rule.Allows(text));
    }
    for (const std::string& text : {control, nul, umlaut}) {
      CHECK_FALSE(row.rule.Allows(text));
    }
  }
}

TEST_CASE("character set: contains ASCII only", "[common]") {
  constexpr CharacterSet set = kLowercase | "_";
  static_assert(set.Contains('a') && set.Contains('z') && set.Contains('_'));
  static_assert(!set.Contains('A') && !set.Contains('\0'));
  for (int byte = 128; byte < 256; ++byte) {
    CHECK_FALSE(set.Contains(static_cast<char>(byte)));
  }
  CHECK(set.ContainsAll(""));
  CHECK(set.ContainsAll("a_z"));
  CHECK_FALSE(set.ContainsAll("a z"));
}

}  // namespace
}  // namespace carme
