#include "common/yaml/yaml_document.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme {
namespace {

std::string Error(const std::string& text) {
  const auto parsed = ParseYaml(text, "v.yaml");
  return parsed.ok() ? "accepted" : std::string(parsed.status().message());
}

TEST_CASE("yaml: refuses what can grow or run code, with its line",
          "[common]") {
  CHECK(Error("a: &x [1]\nb: *x\n") ==
        "v.yaml:1: anchors and aliases are not supported: write the value out");
  CHECK(Error("a: 1\nb: *x\n").starts_with("v.yaml:2: anchors and aliases"));
  CHECK(Error("a: 1\n<<: {b: 1}\n") ==
        "v.yaml:2: merge key \"<<\" is not supported: write the keys out");
  CHECK(Error("a: 1\nb: !!python/object:os.system x\n")
            .starts_with("v.yaml:2: tag "));
}

TEST_CASE("yaml: refuses a document with two meanings", "[common]") {
  CHECK(Error("a: 1\nb: 2\na: 3\n") == "v.yaml:3: \"a\" is set twice");
  CHECK(Error("a: 1\n---\nb: 1\n") ==
        "v.yaml:2: a second document begins: expected one");
  CHECK(Error("[a]: 1\n") ==
        "v.yaml:1: a key is a list or a map: expected a text");
  CHECK(Error("") == "v.yaml:1: the file is empty");
  CHECK(Error("a: \xff\n") == "v.yaml:1: the file is not UTF-8");
  CHECK(Error("a: [1\nb: 2\n").starts_with("v.yaml:2: not YAML: "));
  CHECK(Error("a:\n\tb: 1\n").starts_with("v.yaml:2: not YAML: "));
}

TEST_CASE("yaml: refuses more than it needs", "[common]") {
  CHECK(Error(std::string(kMaxYamlBytes + 1, ' ')) ==
        "v.yaml:1: the file has more than 262144 bytes");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "[";
  CHECK(Error(deep) == "v.yaml:1: lists and maps are nested more than 8 deep");
  std::string many = "a: [";
  for (size_t i = 0; i < kMaxYamlNodes + 1; ++i) many += "1,";
  CHECK(Error(many + "]") == "v.yaml:1: the file has more than 20000 values");
}

TEST_CASE("yaml: keeps texts, lines and quotes", "[common]") {
  const auto parsed =
      ParseYaml("a: 'null'\nb: ~\nc:\n- 1\n- x y # end\n", "v.yaml");
  REQUIRE_THAT(parsed, IsOk());
  CHECK_FALSE(parsed->Find("a")->IsNull());
  CHECK(parsed->Find("b")->IsNull());
  const YamlNode& list = *parsed->Find("c");
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[1].text == "x y");
  CHECK(list.items[1].line == 5);
  CHECK(parsed->Find("d") == nullptr);
}

}  // namespace
}  // namespace carme
