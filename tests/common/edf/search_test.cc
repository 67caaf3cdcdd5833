#include "common/edf/search.h"

#include <catch2/catch.hpp>

#include "tests/common/edf/memory_files.h"

namespace carme {
namespace {

const std::map<std::string, std::string> kFiles = {
    {"/home/ada/.edf/torch.toml", ""},
    {"/home/ada/.edf/dir.toml/", ""},
    {"/etc/edf/torch.toml", ""},
    {"/etc/edf/site.toml", ""},
    {"/etc/edf/dir.toml", ""},
    {"/a/one.toml", ""},
    {"/b/two.toml", ""},
    {"/etc/edf/team/x.toml", ""},
    {"/here/job.toml", ""},
    {"/here/.toml", ""},
    {"/here/../up.toml", ""},
    {"/here/dir.toml/", ""}};

std::string Find(const std::string& name, EdfContext context,
                 EdfProblems* problems) {
  const auto path =
      FindEdf({name, {"x.toml", 4}, "environment"}, context, problems);
  CHECK(path.has_value() == problems->empty());
  return path.value_or("");
}

TEST_CASE("search: refuses invalid names, each with its number", "[edf]") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"", 20},
      {"a\nb", 20},
      {"../../etc/x", 21},
      {"a/../b", 20},
      {"/here/", 20},
      {"..", 20},
      {"./job", 21},
      {"/here/.toml", 21},
      {"./job.tml", 22},
      {"/etc/passwd.txt", 22},
      {"nothing", 6},
      {"no.toml", 6},
      {"./no.toml", 6},
      {"./dir.toml", 2}};
  for (const auto& [name, number] : cases) {
    INFO(name);
    EdfProblems problems;
    Find(name, ContextWith(&kFiles), &problems);
    CHECK(Numbers(problems) == std::vector<int>{number});
  }
}

TEST_CASE("search: an error names the searched directories", "[edf]") {
  EdfProblems problems;
  Find("nothing", ContextWith(&kFiles), &problems);
  CHECK(Text(problems) ==
        "Error 006: x.toml:4: environment \"nothing\" not found at "
        "\"/home/ada/.edf\", \"/etc/edf\"");
  EdfProblems of_path;
  Find("./no.toml", ContextWith(&kFiles), &of_path);
  CHECK(Text(of_path) ==
        "Error 006: x.toml:4: environment \"./no.toml\" not found at "
        "\"/here/no.toml\"");
}

TEST_CASE("search: refuses an EDF_PATH that is not absolute", "[edf]") {
  EdfContext context = ContextWith(&kFiles);
  context.variables["EDF_PATH"] = "/a:b";
  EdfProblems problems;
  Find("one", context, &problems);
  CHECK(Numbers(problems) == std::vector<int>{9});
}

TEST_CASE("search: EDF_PATH is a colon list and replaces the home", "[edf]") {
  EdfContext context = ContextWith(&kFiles);
  context.variables["EDF_PATH"] = "/a::/b";
  for (const auto& [name, path] :
       std::map<std::string, std::string>{{"one", "/a/one.toml"},
                                          {"two", "/b/two.toml"},
                                          {"torch", "/etc/edf/torch.toml"}}) {
    EdfProblems problems;
    CHECK(Find(name, context, &problems) == path);
  }
}

TEST_CASE("search: names by directory, paths by the caller's", "[edf]") {
  for (const auto& [name, path] : std::map<std::string, std::string>{
           {"torch", "/home/ada/.edf/torch.toml"},
           {"site", "/etc/edf/site.toml"},
           {"dir", "/etc/edf/dir.toml"},  // a directory is passed over
           {"team/x", "/etc/edf/team/x.toml"},
           {"job.toml", "/here/job.toml"},
           {"./job.toml", "/here/job.toml"},
           {"../up.toml", "/here/../up.toml"},
           {"/a/one.toml", "/a/one.toml"}}) {
    INFO(name);
    EdfProblems problems;
    CHECK(Find(name, ContextWith(&kFiles), &problems) == path);
  }
}

TEST_CASE("search: without HOME only the system's directories", "[edf]") {
  EdfContext context = ContextWith(&kFiles);
  context.variables.erase("HOME");
  EdfProblems problems;
  CHECK(Find("torch", context, &problems) == "/etc/edf/torch.toml");
}

}  // namespace
}  // namespace carme
