#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "slurm-hooks/shell/control_message.h"
#include "slurm-hooks/shell/output_ring.h"
#include "slurm-hooks/shell/terminal_target.h"
#include "slurm-hooks/shell/title_reader.h"
#include "slurm-hooks/web_app/json.h"
#include "slurm-hooks/web_app/page_assets.h"

namespace carme::shell {
namespace {

TEST_CASE("control message: refuses malformed messages", "[shell]") {
  for (const char* text :
       {"", "{}", "[]", "{\"rows\":0,\"cols\":80}",
        "{\"rows\":24,\"cols\":1001}", "{\"rows\":24}",
        "{\"rows\":-1,\"cols\":80}", "{\"rows\":24,\"cols\":}",
        "{\"rows\": 24,\"cols\":80}", "{\"rows\":24,\"cols\":80}}",
        "{\"rows\":2e1,\"cols\":80}", "{\"seen\":}", "{\"seen\":+1}",
        "{\"seen\":9007199254740993}", "{\"close\":false}"}) {
    INFO(text);
    CHECK_FALSE(ParseControlMessage(text).has_value());
  }
}

TEST_CASE("control message: reads the three kinds", "[shell]") {
  const auto size = ParseControlMessage("{\"rows\":1,\"cols\":1000}");
  REQUIRE(size.has_value());
  CHECK(std::get<WindowSize>(*size).rows == 1);
  CHECK(std::get<WindowSize>(*size).columns == 1000);
  const auto seen = ParseControlMessage("{\"seen\":9007199254740992}");
  REQUIRE(seen.has_value());
  CHECK(std::get<Seen>(*seen).until == 9007199254740992U);
  const auto close = ParseControlMessage("{\"close\":true}");
  REQUIRE(close.has_value());
  CHECK(std::holds_alternative<Close>(*close));
}

TEST_CASE("JSON string: escapes all special characters", "[shell]") {
  CHECK(web_app::JsonString("a\"b\\c\x01\n") ==
        "\"a\\\"b\\\\c\\u0001\\u000a\"");
}

TEST_CASE("terminal target: refuses other names and queries", "[shell]") {
  for (const char* target :
       {"/terminals", "/terminals/", "/terminals/A", "/terminals/a/b",
        "/terminals/a%41", "/terminals/..", "/terminals/a?",
        "/terminals/a?from=", "/terminals/a?from=-1", "/terminals/a?from=1&x",
        "/terminals/a?to=1", "/terminals/abcdefghijklmnopqrstuvwxyz0123456"}) {
    INFO(target);
    CHECK_FALSE(ParseTerminalTarget(target).has_value());
  }
}

TEST_CASE("terminal target: a name, and a number if given", "[shell]") {
  const auto named = ParseTerminalTarget("/terminals/build-2");
  REQUIRE(named.has_value());
  CHECK(named->name == "build-2");
  CHECK_FALSE(named->from.has_value());
  CHECK(ParseTerminalTarget("/terminals/1?from=0")->from == 0U);
  CHECK(ParseTerminalTarget("/terminals/" + std::string(32, 'x')).has_value());
}

TEST_CASE("output ring: reports overwritten output", "[shell]") {
  OutputRing ring(100, 8);
  CHECK(ring.Read(100, 10).empty());
  ring.Append("0123456789");
  CHECK(ring.start() == 102);
  CHECK(ring.end() == 110);
  CHECK(ring.Read(101, 10).empty());
  CHECK(ring.Read(110, 10).empty());
  CHECK(ring.Read(102, 100) == "23456789");
  CHECK(ring.Read(105, 2) == "56");
}

TEST_CASE("output ring: accepts more than its size", "[shell]") {
  OutputRing ring(3, 4);
  ring.Append("abcdefghijk");
  CHECK(ring.Read(ring.start(), 4) == "hijk");
}

TEST_CASE("title: ignores other commands and broken ones", "[shell]") {
  TitleReader reader;
  reader.Read("\x1b]2;kept\x07");
  for (const char* text : {"\x1b]8;;http://x\x07", "\x1b[2;no\x07",
                           "\x1b]2;cut\x1b[0m text\x07", "2;plain\x07"}) {
    reader.Read(text);
    CHECK(reader.title() == "kept");
  }
  reader.Read("\x1b]2;" + std::string(10'000, 'x') + "\x07");
  CHECK(reader.title() == "kept");
}

TEST_CASE("title: is found wherever the bytes are cut", "[shell]") {
  const std::string text = "a\x1b[1mb\x1b\x1b]0;ada@n1: ~\x1b\\$ ";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    TitleReader reader;
    reader.Read(std::string_view(text).substr(0, cut));
    reader.Read(std::string_view(text).substr(cut));
    CHECK(reader.title() == "ada@n1: ~");
  }
}

TEST_CASE("title: is short UTF-8 without controls", "[shell]") {
  TitleReader reader;
  reader.Read("\x1b]2;a\xff\n" + std::string(1000, 'b') + "\x07");
  CHECK(reader.title().starts_with("a??bbb"));
  CHECK(reader.title().size() == 256);
}

TEST_CASE("page: refers only to embedded files", "[shell]") {
  const web_app::PageAsset* page = web_app::FindPageAsset("/");
  REQUIRE(page != nullptr);
  size_t named = 0;
  for (size_t at = 0;
       (at = page->bytes.find("/assets/", at)) != page->bytes.npos; ++at) {
    const size_t end = page->bytes.find('"', at);
    CHECK(web_app::FindPageAsset(page->bytes.substr(at, end - at)) != nullptr);
    ++named;
  }
  CHECK(named >= 2);  // a script and a style sheet
  CHECK(page->bytes.find("<style") == page->bytes.npos);
  CHECK(page->bytes.find("<script>") == page->bytes.npos);
}

}  // namespace
}  // namespace carme::shell
