#include "backend/identity/ldap/password_rules.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const PasswordOwner kAda = {.username = "ada.l",
                            .display_name = "Dr. Ada Lovelace",
                            .old_password = "what it was until now"};

constexpr char kLength[] = "at least 12 characters";
constexpr char kClasses[] =
    "at least 3 of lower case letters, upper case letters, digits and other "
    "characters";
constexpr char kWords[] = "no part of your own name, and none of: notes, carme";
constexpr char kControl[] = "no control characters";
constexpr char kOther[] = "to differ from the old one";

TEST_CASE("password rules: each way to break each rule", "[backend]") {
  const PasswordConfig config = {
      .min_length = 12, .min_classes = 3, .denied_words = {"notes", "carme"}};
  struct Row {
    std::string password;
    std::vector<std::string> wanted;
  };
  const std::vector<Row> table = {
      {"", {kLength, kClasses}},
      {"Sh0rt!", {kLength}},
      {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9"
       "Aa1xyz",
       {kLength}},
      {"only small letters", {kClasses}},
      {"UPPER AND 12345", {}},
      {"Quite Fine Now", {}},
      {"no CAPITALS after", {}},
      {"12345678901234", {kClasses}},
      {"My ADA.L is 1 thing", {kWords}},
      {"Lovelace knows 10", {kWords}},
      {"ada stands here 1", {kWords}},
      {"Ends with CaRmE 1", {kWords}},
      {"Notes of mine 123", {kWords}},
      {"Bell\a rings 1 time", {kControl}},
      {std::string("Zero\0 byte in here", 18), {kControl}},
      {"Line\nbreak 123456", {kControl}},
      {"what it was until now", {kClasses, kOther}},
      {"Correct horse 9 battery", {}},
      {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9\xc3\xa8"
       "Aa1xyz",
       {}},
      {std::string(1100, 'x') + "A1", {"at most 1024 bytes"}},
  };
  for (const Row& row : table) {
    INFO(row.password);
    const absl::Status status = CheckNewPassword(config, kAda, row.password);
    INFO(status);
    CHECK(status.ok() == row.wanted.empty());
    CHECK((status.ok() || absl::IsInvalidArgument(status)));
    size_t length = 0;
    for (const std::string& wanted : row.wanted) {
      CHECK(status.message().find(wanted) != std::string::npos);
      length += wanted.size() + 2;  // "; "
    }
    // The message has nothing else, in particular not the password.
    if (!row.wanted.empty()) {
      CHECK(status.message().size() ==
            std::string("the new password needs ").size() + length - 2);
    }
  }
}

TEST_CASE("password rules: a name of two letters is not checked", "[backend]") {
  const PasswordOwner li = {
      .username = "li", .display_name = "Li Bo", .old_password = ""};
  CHECK_THAT(CheckNewPassword({}, li, "alibi for a bottle"), IsOk());
}

TEST_CASE("password rules: checks lengths and contained names", "[backend]") {
  const auto errors = [](const std::string& text) {
    auto file = ConfigFile::Parse(text, "x");
    REQUIRE_THAT(file, IsOk());
    PasswordConfig config;
    ReadPasswordConfig(file->root().Table("password"), &config);
    return std::string(file->Finish().message());
  };
  const std::string section = "[password]\n";
  CHECK(errors(section + "min_length = 4").find("min_length") !=
        std::string::npos);
  CHECK(errors(section + "min_classes = 5").find("min_classes") !=
        std::string::npos);
  CHECK(errors(section + "denied_words = [\"x\"]").find("3 characters") !=
        std::string::npos);
  CHECK(errors("").empty());
  CHECK(errors(section + "min_length = 16\ndenied_words = []").empty());
}

TEST_CASE("password rules: are described as text", "[backend]") {
  CHECK(DescribePasswordRules({}) ==
        std::vector<std::string>{
            kLength, "no part of your own name, and none of: password, carme"});
  CHECK(DescribePasswordRules(
            {.min_length = 16, .min_classes = 3, .denied_words = {}}) ==
        std::vector<std::string>{"at least 16 characters", kClasses,
                                 "no part of your own name"});
}

}  // namespace
}  // namespace carme::backend
