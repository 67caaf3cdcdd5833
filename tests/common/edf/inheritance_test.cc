// base_environment: the source of each value, and the limits.
#include <catch2/catch.hpp>

#include "common/edf/limits.h"
#include "common/edf/text.h"
#include "tests/common/edf/memory_files.h"

namespace carme {
namespace {

using Files = std::map<std::string, std::string>;

EdfResult Render(const Files& files, const std::string& name = "top") {
  return RenderEdf(name, ContextWith(&files));
}

std::string Path(const std::string& name) {
  return "/etc/edf/" + name + ".toml";
}

TEST_CASE("inheritance: refuses a cycle of bases", "[edf]") {
  const EdfResult itself =
      Render({{Path("top"), "image = \"a\"\nbase_environment = \"top\""}});
  CHECK(Text(itself.problems) ==
        "Error 005: /etc/edf/top.toml:2: \"base_environment\" is \"top\": "
        "the chain of base environments returns to \"/etc/edf/top.toml\"");
  const EdfResult around =
      Render({{Path("top"), "base_environment = [\"a\", \"b\"]"},
              {Path("a"), "image = \"a\""},
              {Path("b"), "base_environment = \"/etc/edf/./top.toml\""}});
  CHECK(Numbers(around.problems) == std::vector<int>{5});
}

Files Chain(int levels) {
  Files files = {{Path("l1"), "image = \"a\""}};
  for (int i = 2; i <= levels; ++i) {
    files[Path("l" + std::to_string(i))] =
        "base_environment = \"l" + std::to_string(i - 1) + "\"";
  }
  return files;
}

TEST_CASE("inheritance: ten levels, and not one more", "[edf]") {
  CHECK(Render(Chain(10), "l10").edf);
  CHECK(Numbers(Render(Chain(11), "l11").problems) == std::vector<int>{5});
}

TEST_CASE("inheritance: refuses more than 64 files, without a storm", "[edf]") {
  Files files = {{Path("l0"), "image = \"a\""}};
  for (int i = 1; i < 9; ++i) {  // two to the power of eight otherwise
    const std::string below = "\"l" + std::to_string(i - 1) + "\"";
    files[Path("l" + std::to_string(i))] =
        "base_environment = [" + below + ", " + below + "]";
  }
  CHECK(Numbers(Render(files, "l8").problems) == std::vector<int>{100});
  CHECK(Render(files, "l4").edf);
}

TEST_CASE("inheritance: reports the errors of every file", "[edf]") {
  const EdfResult result = Render({{Path("top"),
                                    "image = \"a\"\n"
                                    "base_environment = [\"none\", \"secret\","
                                    " \"${NOBODY}\", \"broken\", \"\"]"},
                                   {Path("secret"), "unreadable"},
                                   {Path("broken"), "image = 1"}});
  CHECK(Numbers(result.problems) == std::vector<int>{6, 2, 17, 4, 20});
  CHECK_FALSE(result.edf);
}

TEST_CASE("inheritance: limits the sum of all files", "[edf]") {
  Files files = {{Path("top"), "base_environment = [\"a\", \"b\"]"}};
  for (const std::string name : {"a", "b"}) {
    files[Path(name)] = "image = \"a\"\nmounts = [";
    for (int i = 0; i < 129; ++i) {
      files[Path(name)] += "\"/" + name + std::to_string(i) + "\",";
    }
    files[Path(name)] += "]\n[env]\n";
    for (int i = 0; i < 513; ++i) {
      files[Path(name)] += name + std::to_string(i) + " = \"\"\n";
    }
  }
  CHECK(Numbers(Render(files).problems) == std::vector<int>{100, 100, 100});
}

TEST_CASE("inheritance: scalars win, lists follow, tables win by key",
          "[edf]") {
  const EdfResult result = Render(
      {{Path("top"),
        "base_environment = [\"one\", \"two\"]\n"
        "image = \"own\"\nmounts = [\"/own\", \"/both\"]\nwritable = true\n"
        "env = {A = \"own\", D = \"${USER}\"}\n"
        "annotations.com.hooks.ssh.port = 1"},
       {Path("one"),
        "image = \"${NOBODY}\"\nworkdir = \"/one\"\nwritable = false\n"
        "mounts = [\"/one\", \"/both\"]\ndevices = [\"/dev/a\"]\n"
        "env = {A = \"${NOBODY}\", B = \"one\", C = \"one\"}"},
       {Path("two"),
        "entrypoint = true\nworkdir = \"/two\"\n"
        "mounts = [\"/both:/both\", \"/two\"]\n"
        "devices = [\"/dev/b\", \"/dev/a\"]\nenv = {C = \"two\"}\n"
        "[annotations.com.hooks.ssh]\nport = 2\nenabled = \"true\""}});
  CAPTURE(Text(result.problems));
  REQUIRE(result.edf);
  CHECK(EdfToToml(*result.edf) == R"(image = "own"
mounts = ["/one:/one", "/both:/both", "/two:/two", "/own:/own"]
workdir = "/two"
writable = true
entrypoint = true
devices = ["/dev/a", "/dev/b"]

[env]
"A" = "own"
"B" = "one"
"C" = "two"
"D" = "ada"

[annotations]
"com.hooks.ssh.enabled" = "true"
"com.hooks.ssh.port" = "1"
)");
}

TEST_CASE("inheritance: a base is named like an environment", "[edf]") {
  const Files files = {
      {"/here/top.toml", "base_environment = \"${USER}_base\""},
      {"/home/ada/.edf/ada_base.toml", "base_environment = \"./sub/b.toml\""},
      {"/here/sub/b.toml", "image = \"a\""}};
  const EdfResult result = Render(files, "./top.toml");
  CAPTURE(Text(result.problems));
  CHECK(result.edf);
  CHECK(result.path == "/here/top.toml");
}

TEST_CASE("inheritance: an empty base_environment counts as absent", "[edf]") {
  CHECK(RenderText("image = \"a\"\nbase_environment = \"\"").edf);
  CHECK(RenderText("image = \"a\"\nbase_environment = []").edf);
}

}  // namespace
}  // namespace carme
