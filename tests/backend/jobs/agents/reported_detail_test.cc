#include "backend/jobs/agents/reported_detail.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carme::backend {
namespace {

DisplayText Text(const std::string& english, const std::string& code,
                 std::vector<DisplayParameter> parameters = {}) {
  DisplayText text = english;
  text.code = code;
  text.parameters = std::move(parameters);
  return text;
}

// What an agent reports about an app that ended.
DisplayText Ended() {
  return Text("the app ended with exit code 3: no licence left",
              "AGENT_WITH_LAST_LINE",
              {{"end", Text("the app ended with exit code 3", "AGENT_APP_ENDED",
                            {{"exit_code", "3"}})},
               {"line", "no licence left"}});
}

TEST_CASE("reported detail: drops a malformed code and keeps the text",
          "[jobs]") {
  for (const std::string code :
       {"ended", "_ENDED", "1ENDED", "ENDED NOW", "ENDED\n", "<B>", "\u00c4",
        "__proto__", "constructor"}) {
    INFO(code);
    CHECK(CheckReportedDetail(Text("ended", code)) == DisplayText("ended"));
  }
  CHECK(CheckReportedDetail(Text("ended", std::string(65, 'A'))).code.empty());
}

TEST_CASE("reported detail: drops a code with a malformed parameter",
          "[jobs]") {
  for (const std::string name :
       {"", "Line", "_line", "line{", "a b", "__proto__"}) {
    INFO(name);
    CHECK(CheckReportedDetail(Text("ended", "ENDED", {{name, "x"}})) ==
          DisplayText("ended"));
  }
  CHECK(CheckReportedDetail(
            Text("ended", "ENDED", {{std::string(33, 'a'), "x"}})) ==
        DisplayText("ended"));
  // In a text of a parameter, too.
  CHECK(CheckReportedDetail(
            Text("ended", "ENDED", {{"line", Text("x", "not a code")}})) ==
        DisplayText("ended"));
  CHECK(CheckReportedDetail(
            Text("ended", "ENDED", {{"line", Text("x", "", {{"y", "z"}})}})) ==
        DisplayText("ended"));
}

TEST_CASE("reported detail: drops a code with too many parameters or levels",
          "[jobs]") {
  DisplayText wide = Text("ended", "TEXT_LIST");
  DisplayText deep = Text("ended", "ENDED");
  for (int i = 0; i < 8; ++i) wide.parameters.push_back({"text", "x"});
  for (int i = 1; i < 6; ++i) deep = Text("ended", "ENDED", {{"text", deep}});
  CHECK(CheckReportedDetail(wide) == wide);
  CHECK(CheckReportedDetail(deep) == deep);
  wide.parameters.push_back({"text", "x"});
  CHECK(CheckReportedDetail(wide) == DisplayText("ended"));
  CHECK(CheckReportedDetail(Text("ended", "ENDED", {{"text", deep}})) ==
        DisplayText("ended"));
}

TEST_CASE("reported detail: drops a code with too many bytes", "[jobs]") {
  const DisplayParameter line = {"line", std::string(390, 'x')};
  DisplayText text = Text("ended", "TEXT_LIST", {line, line, line, line, line});
  CHECK(CheckReportedDetail(text) == text);
  text.parameters.push_back(line);
  CHECK(CheckReportedDetail(text) == DisplayText("ended"));
}

TEST_CASE("reported detail: texts and values are printable and cut", "[jobs]") {
  const DisplayText shown = CheckReportedDetail(
      Text(std::string(500, 'e'), "ENDED",
           {{"line", "\x1b[31m\u202e" + std::string(500, 'x')}}));
  CHECK(shown.text == std::string(kMaxReportedDetail, 'e'));
  CHECK(shown.code == "ENDED");
  REQUIRE(shown.parameters.size() == 1);
  CHECK(shown.parameters[0].value.text ==
        "?[31m???" + std::string(kMaxReportedDetail - 8, 'x'));
}

TEST_CASE("reported detail: keeps a text in a text", "[jobs]") {
  CHECK(CheckReportedDetail(Ended()) == Ended());
  CHECK(CheckReportedDetail("no code") == DisplayText("no code"));
}

}  // namespace
}  // namespace carme::backend
