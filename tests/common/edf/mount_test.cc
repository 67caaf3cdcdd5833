#include "common/edf/mount.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

const EdfVariables kVariables = {
    {"USER", "ada"}, {"COLON", "/a:/b"}, {"RELATIVE", "data"}, {"RO", "ro"}};

std::optional<EdfMount> Parse(const std::string& text, EdfProblems* problems) {
  return ParseMount({text, {"x.toml", 2}, "mounts[0]"}, kVariables, "/here",
                    problems);
}

TEST_CASE("mount: refuses, each fault under its number", "[edf]") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"", 8},
      {"/a:/b:ro:x", 8},
      {"/a:/b:", 102},
      {"${COLON}:/c", 9},  // a variable adds no field
      {"/a:${COLON}", 9},
      {std::string("/a\n:/b"), 9},
      {"/" + std::string(4100, 'a') + ":/b", 9},
      {"data:/b", 12},
      {".data:/b", 12},
      {"~/data:/b", 12},
      {"${RELATIVE}:/b", 12},
      {":/b", 12},
      {"tmpfs:/tmp", 12},
      {"/a:b", 13},
      {"/a:", 13},
      {"/a:/", 13},
      {"/a:/.", 13},
      {"/a:/b/../../etc", 13},
      {"/..", 13},
      {"/a:/${NOBODY}", 17},
      {"/a$b:/b", 18},
      {"/a:/b:rw+ro", 102},
      {"/a:/b:sqsh+ro", 102},
      {"/a:/b:shared", 102},
      {"/a:/b:suid", 102},
      {"/a:/b:private+slave", 102}};
  for (const auto& [text, number] : cases) {
    INFO(text);
    EdfProblems problems;
    CHECK_FALSE(Parse(text, &problems));
    REQUIRE(problems.list().size() == 1);
    CHECK(static_cast<int>(problems.list()[0].number) == number);
  }
}

TEST_CASE("mount: a refusal quotes the field and what was expected", "[edf]") {
  EdfProblems problems;
  Parse("/a:/b:ro:x", &problems);
  CHECK(problems.status().message() ==
        "Error 008: x.toml:2: \"mounts[0]\" is \"/a:/b:ro:x\": has 4 fields: "
        "expected SOURCE:DESTINATION[:FLAGS] or one path");
}

// The value of a parameter of a text.
DisplayText ValueOf(const DisplayText& text, const std::string& name) {
  for (const DisplayParameter& each : text.parameters) {
    if (each.name == name) return each.value;
  }
  return {};
}

TEST_CASE("mount: a refusal has codes for other languages", "[edf]") {
  EdfProblems problems;
  Parse("data:/b", &problems);
  Parse("/a:/b:rw+ro", &problems);
  Parse("/a\n:/b", &problems);
  REQUIRE(problems.list().size() == 3);
  const DisplayText& source = problems.list()[0].text;
  CHECK(source.text ==
        "\"mounts[0]\" is \"data:/b\": source \"data\": expected a path that "
        "begins with \"/\" or \"./\"");
  CHECK(source.code == "EDF_REFUSED");
  CHECK(ValueOf(source, "name").text == "\"mounts[0]\"");
  CHECK(ValueOf(source, "value").text == "\"data:/b\"");
  const DisplayText why = ValueOf(source, "why");
  CHECK(why.code == "EDF_MOUNT_PATH");
  CHECK(ValueOf(why, "part").code == "EDF_SOURCE");
  CHECK(ValueOf(why, "path").text == "\"data\"");

  const DisplayText flags = ValueOf(problems.list()[1].text, "why");
  CHECK(flags.text == "flags \"rw+ro\": expected one of ro, rw");
  CHECK(flags.code == "EDF_MOUNT_FLAGS");
  CHECK(ValueOf(flags, "fault").code == "EDF_EXPECT_ONE_FLAG");

  const DisplayText path = ValueOf(problems.list()[2].text, "why");
  CHECK(path.text.starts_with("source \"/a"));
  CHECK(path.text.ends_with(
      " has a character that is not allowed in a path: expected text"));
  CHECK(path.code == "EDF_MOUNT_PATH_FAULT");
  CHECK(ValueOf(path, "fault").code == "EDF_PATH_CHARACTER");
}

TEST_CASE("mount: both notations render to the same text", "[edf]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/scratch/${USER}", "/scratch/ada:/scratch/ada"},
      {"./data", "/here/data:/here/data"},
      {"/a:/b", "/a:/b"},
      {"./a:/b", "/here/a:/b"},
      {".:/b", "/here:/b"},
      {"../a:/b", "/here/../a:/b"},
      {"//a/./b/:/c//", "/a/b:/c"},
      {"/a:./b", "/a:/here/b"},
      {"/a:/b:ro", "/a:/b:ro"},
      {"/a:/b:${RO}", "/a:/b:ro"},
      {"/a:/b:ro+private", "/a:/b:private+ro"},
      {"/a:/b:private,ro", "/a:/b:private+ro"},
      {"/a:/b:ro+ro", "/a:/b:ro"},
      {"/a:/b:rslave+nosuid,nodev+noexec+rbind",
       "/a:/b:nodev+noexec+nosuid+rbind+rslave"},
      {"/x.sqsh:/data:sqsh", "/x.sqsh:/data:sqsh"},
      {"/${NOBODY:-a}:/b", "/a:/b"},
      {"/${NOBODY:-a{}:/b", "/a{:/b"},
      {"/a$${x}:/b", "/a${x}:/b"}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    EdfProblems problems;
    const auto mount = Parse(text, &problems);
    CAPTURE(problems.status().message());
    REQUIRE(mount);
    CHECK(MountText(*mount) == expected);
  }
}

}  // namespace
}  // namespace carme
