#include "common/edf/expansion.h"

#include <catch2/catch.hpp>

#include "common/edf/limits.h"

namespace carme {
namespace {

const EdfVariables kVariables = {
    {"USER", "ada"},   {"EMPTY", ""},
    {"A1_b", "x"},     {"DOLLAR", "${USER}"},
    {"BYTES", "\xff"}, {"LONG", std::string(30000, 'l')}};

std::string Expand(const std::string& text, EdfProblems* problems) {
  const auto expanded =
      ExpandVariables({text, {"x.toml", 3}, "workdir"}, kVariables, problems);
  CHECK(expanded.has_value() == problems->empty());
  return expanded.value_or("");
}

struct Refusal {
  std::string text;
  int number;
};

TEST_CASE("expansion: refuses malformed references", "[edf]") {
  const std::string nested = [] {
    std::string text;
    for (int i = 0; i < 9; ++i) text += "${NO:-";
    return text + std::string(9, '}');
  }();
  for (const Refusal& refusal :
       std::vector<Refusal>{{"${NOBODY}", 17},
                            {"/home/${USER}/${NOBODY}", 17},
                            {"${NO:-${NOBODY}}", 17},
                            {"$USER", 18},
                            {"costs 5$", 18},
                            {"$(id)", 18},
                            {"${", 18},
                            {"${}", 18},
                            {"${USER", 18},
                            {"${1}", 18},
                            {"${USER:1}", 18},
                            {"${USER-x}", 18},
                            {"${#USER}", 18},
                            {"${!USER}", 18},
                            {"${USER:-x", 18},
                            {"${NO:-$(id)}", 18},
                            {nested, 18},
                            {"${BYTES}", 19},
                            {"${LONG}${LONG}", 19}}) {
    INFO(refusal.text);
    EdfProblems problems;
    Expand(refusal.text, &problems);
    REQUIRE(problems.list().size() == 1);
    CHECK(static_cast<int>(problems.list()[0].number) == refusal.number);
    CHECK(problems.list()[0].place.line == 3);
  }
}

TEST_CASE("expansion: an error names the variable, its place and a remedy",
          "[edf]") {
  EdfProblems problems;
  Expand("/x/${NOBODY}", &problems);
  CHECK(problems.status().message() ==
        "Error 017: x.toml:3: \"workdir\" is \"/x/${NOBODY}\": variable "
        "\"NOBODY\" is not defined: expected it in the environment of the "
        "command, or a default: \"${NOBODY:-}\"");
}

TEST_CASE("expansion: puts variables, defaults and dollars in place", "[edf]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"plain {text}", "plain {text}"},
      {"/home/${USER}/x", "/home/ada/x"},
      {"${A1_b}${A1_b}", "xx"},
      {"${NOBODY:-}", ""},
      {"${NOBODY:-eve}", "eve"},
      {"${EMPTY:-eve}", "eve"},  // as in a shell: empty counts as undefined
      {"${EMPTY}", ""},
      {"${USER:-eve}", "ada"},
      {"${USER:-${NOBODY}}", "ada"},  // a default that is not used
      {"${NO:-${NOR:-${USER}}}!", "ada!"},
      {"${NO:-a:b{c}", "a:b{c"},
      {"$${USER}", "${USER}"},
      {"$$$${USER}", "$${USER}"},
      {"5$$", "5$"},
      {"${DOLLAR}", "${USER}"},  // once, not again
      {"`id`;rm -rf \"/\" | x", "`id`;rm -rf \"/\" | x"}};
  for (const auto& [text, expected] : cases) {
    INFO(text);
    EdfProblems problems;
    CHECK(Expand(text, &problems) == expected);
  }
}

TEST_CASE("expansion: an escaped text expands to itself", "[edf]") {
  for (const std::string text : {"", "$", "$$", "${USER}", "a$b", "$${"}) {
    INFO(text);
    EdfProblems problems;
    CHECK(Expand(EscapeVariables(text), &problems) == text);
  }
}

}  // namespace
}  // namespace carme
