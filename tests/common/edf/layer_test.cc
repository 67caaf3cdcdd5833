// One file: its TOML, its schema, its limits.
#include "common/edf/layer.h"

#include <catch2/catch.hpp>

#include "common/edf/limits.h"
#include "tests/common/edf/memory_files.h"

namespace carme {
namespace {

struct Read {
  explicit Read(const std::string& text) {
    layer = ReadEdfLayer(text, "x.toml", &problems, &warnings);
    CHECK(layer.has_value() == problems.empty());
  }
  std::optional<EdfLayer> layer;
  EdfProblems problems;
  EdfProblems warnings;
};

TEST_CASE("layer: refuses broken TOML with its line", "[edf]") {
  for (const char* text :
       {"image = \"a\"\nmounts = [", "image = \"a\"\nimage = \"b\"",
        "x = 1\n\"a\" = \"\xff\"", "x = 1\nDEBUG = \"a\",\n"}) {
    INFO(text);
    const Read read(text);
    CHECK(Numbers(read.problems) == std::vector<int>{3});
    CHECK(Text(read.problems).starts_with("Error 003: x.toml:2: "));
  }
}

TEST_CASE("layer: refuses plain values that the parser may not see", "[edf]") {
  for (const std::string value : {"/a",
                                  "abc",
                                  "True",
                                  "2026-11-21",
                                  "07:32:00",
                                  "1979-05-27Tx07:32:00",
                                  "0x1f",
                                  "0b1",
                                  "5p",
                                  "1p1",
                                  "0x1p",
                                  "inf",
                                  "-nan",
                                  "1_000",
                                  "+",
                                  "1.",
                                  "1e",
                                  ".5",
                                  "1\"p\"",
                                  "true\"\"",
                                  "9876543210987654321098765432109876543210"
                                  "1"}) {
    for (const std::string& text :
         {"\nx = " + value, "\nx = [1, " + value + "]",
          "\nx = {a = [{b = \"\", c =\t" + value + "}]}",
          "\nx = [\"a\", " + value + " # c\n]"}) {
      INFO(text);
      const Read read(text);
      CHECK(Numbers(read.problems) == std::vector<int>{3});
      CHECK(Text(read.problems).starts_with("Error 003: x.toml:2: \""));
    }
  }
  const Read good(
      "a = [1, -2, +3.5, 1e9, 1.5E-3, true, false]\nb.2026-11-21 = {c = 1}\n"
      "[\"d\".5p]\ne = [\n1,\n]");
  CAPTURE(Text(good.problems));
  CHECK(good.layer);
}

TEST_CASE("layer: refuses strange bytes outside of quotes", "[edf]") {
  for (const std::string text :
       {"\nb\xc6\x91 = 1", "\nx =\xc2\xa0\"a\"", "\nx = \"a\"\xe2\x80\xa8",
        "\nx\v= 1", "\n\x7f", "\n[\xff]"}) {
    INFO(text);
    CHECK(
        Text(Read(text).problems).starts_with("Error 003: x.toml:2: byte 0x"));
  }
  CHECK(Read("# \xc6\x91\n\"\xc6\x91\" = '\xc6\x91'").layer);
}

TEST_CASE("layer: refuses backslashes that begin no escape", "[edf]") {
  for (const std::string text :
       {"\nx = \"\\a\"", "\nx = \"\\ \"", "\nx = \"\\", "\nx = \"\\\xc3\xb6\"",
        "\nx = \"\"\"\\\xc3\xb6\"\"\"", "x = \"\"\"\\\n \xc3\xb6\"\"\"",
        "x = \"\"\"\\\n", "\n\"\\q\" = 1"}) {
    INFO(text);
    const Read read(text);
    CHECK(Numbers(read.problems) == std::vector<int>{3});
    CHECK(Text(read.problems).starts_with("Error 003: x.toml:2: \"\\\" in a "));
  }
  const Read good(
      "x = \"\\b\\t\\n\\f\\r\\u00f6\\U000000f6\\\"\\\\\xc3\xb6\"\n"
      "y = \"\"\"\xc3\xb6 \\ \t\r\n\n  a \\\n\"\"\"\nz = '\\q'");
  CAPTURE(Text(good.problems));
  CHECK(good.layer);
}

TEST_CASE("layer: refuses values of another type, all at once", "[edf]") {
  const Read read(R"(image = 7
mounts = ["/a:/b", 3]
workdir = ["/"]
writable = "yes"
entrypoint = 1
devices = "nvidia.com/gpu=all"
env.DEBUG = true
env.RATE = 1.5
annotations = "x"
base_environment = 1.5
)");
  CHECK(Text(read.problems) ==
        "1. Error 004: x.toml:1: \"image\" is an integer, 7: expected a "
        "string\n"
        "2. Error 004: x.toml:2: \"mounts[1]\" is an integer, 3: expected a "
        "string\n"
        "3. Error 004: x.toml:3: \"workdir\" is an array: expected a string\n"
        "4. Error 004: x.toml:4: \"writable\" is a string, \"yes\": expected "
        "true or false\n"
        "5. Error 004: x.toml:5: \"entrypoint\" is an integer, 1: expected "
        "true or false\n"
        "6. Error 004: x.toml:6: \"devices\" is a string, "
        "\"nvidia.com/gpu=all\": expected an array of strings\n"
        "7. Error 004: x.toml:7: \"env.DEBUG\" is a boolean, true: expected a "
        "string\n"
        "8. Error 004: x.toml:8: \"env.RATE\" is a float: expected a string\n"
        "9. Error 004: x.toml:9: \"annotations\" is a string, \"x\": expected "
        "a table\n"
        "10. Error 004: x.toml:10: \"base_environment\" is a float: expected "
        "a string or an array of strings");
}

TEST_CASE("layer: refuses keys and values no process can have", "[edf]") {
  for (const char* text : {"env.\"A=B\" = \"x\"", "env.\"\" = \"x\"",
                           "env.\"a\\nb\" = \"x\"", "env.A = \"a\\u0000b\"",
                           "annotations.\"\".x = \"1\"", "annotations.a = [1]",
                           "annotations.\"a.b\" = \"1\"\n"
                           "annotations.a.b = \"2\""}) {
    INFO(text);
    CHECK(Numbers(Read(text).problems) == std::vector<int>{4});
  }
  CHECK(Numbers(Read("env." + std::string(257, 'A') + " = \"\"").problems) ==
        std::vector<int>{4});
}

TEST_CASE("layer: hostile nesting is refused before it is parsed", "[edf]") {
  std::string dots = "a";
  for (int i = 0; i < 100000; ++i) dots += ".a";
  std::string tables = "x = ";
  for (int i = 0; i < 1000; ++i) tables += "{a = ";
  std::string lists = "x = " + std::string(100000, '[');
  std::string mixed = "x = [";
  for (int i = 0; i < 20; ++i) mixed += "\n{a.b.c.d.e.f = [";
  for (const std::string& text :
       {dots + " = 1", "[" + dots + "]", "[[" + dots + "]]", tables, lists,
        mixed, "\n# .\nx = \"....\"\ny = {" + dots + " = 1}"}) {
    INFO(text.substr(0, 40));
    CHECK(Numbers(Read(text).problems) == std::vector<int>{100});
  }
  const Read line("image = '''a\n\n'''\n# [[[\nx = " + std::string(17, '['));
  CHECK(Text(line.problems) ==
        "Error 100: x.toml:5: brackets are nested too deep: expected at most "
        "16");
}

TEST_CASE("layer: dots and brackets in strings do not nest", "[edf]") {
  const std::string many = std::string(200, '.') + std::string(200, '[');
  const Read read("image = \"\\\"" + many + "\"\nworkdir = '" + many +
                  "\\'\nenv.A = \"\"\"\n" + many + "\n\\\"" + many +
                  "\"\"\"\"\"\nenv.B = '''" + many + "''''  # " + many + "\n");
  CAPTURE(Text(read.problems));
  REQUIRE(read.layer);
  CHECK(read.layer->env.size() == 2);
}

TEST_CASE("layer: refuses more than the limits", "[edf]") {
  std::string mounts = "mounts = [";
  for (size_t i = 0; i <= kMaxEdfMounts; ++i) mounts += "\"/a\",";
  std::string env = "[env]\n", annotations = "[annotations]\n";
  for (size_t i = 0; i <= kMaxEdfEntries; ++i) {
    env += "A" + std::to_string(i) + " = \"\"\n";
    annotations += "a" + std::to_string(i) + " = \"\"\n";
  }
  for (const std::string& text :
       {mounts + "]", env, annotations, std::string(kMaxEdfBytes + 1, '\n')}) {
    INFO(text.substr(0, 40));
    CHECK(Numbers(Read(text).problems) == std::vector<int>{100});
  }
}

TEST_CASE("layer: reports at most a hundred problems", "[edf]") {
  std::string env = "[env]\n";
  for (int i = 0; i < 200; ++i) env += "A" + std::to_string(i) + " = 1\n";
  const Read read(env);
  CHECK(read.problems.list().size() == kMaxEdfProblems);
  CHECK(read.problems.size() == 200);
  CHECK(Text(read.problems).ends_with("\nand 100 more"));
}

TEST_CASE("layer: a key that no environment has is a warning", "[edf]") {
  const Read read("image = \"a\"\nperfmon = true\n[[mount]]\n");
  REQUIRE(read.layer);
  REQUIRE(read.warnings.list().size() == 2);
  CHECK(Located(read.warnings.list()[0]) ==
        "x.toml:2: unknown key \"perfmon\": it has no effect here");
  CHECK(read.warnings.list()[1].place.line == 3);
}

TEST_CASE("layer: annotations are flat, and all of them strings", "[edf]") {
  const Read read(R"([annotations]
com.hooks.cxi.enabled = true
"com.pyxis.entrypoint_log" = "on"
[annotations.com.hooks.ssh]
port = 15263
rate = 1.5
)");
  CAPTURE(Text(read.problems));
  REQUIRE(read.layer);
  std::map<std::string, std::string> flat;
  for (const auto& [key, text] : read.layer->annotations) flat[key] = text.text;
  CHECK(flat ==
        std::map<std::string, std::string>{{"com.hooks.cxi.enabled", "true"},
                                           {"com.pyxis.entrypoint_log", "on"},
                                           {"com.hooks.ssh.port", "15263"},
                                           {"com.hooks.ssh.rate", "1.5"}});
}

}  // namespace
}  // namespace carme
