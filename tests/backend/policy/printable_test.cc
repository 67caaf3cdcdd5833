#include "backend/policy/printable.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("printable: a text that deceives has no length", "[policy]") {
  for (const char* text :
       {"a\nb", "\x1b[31m", "a\x7f", "a\xc2\x85", "a\xe2\x80\xae",
        "a\xe2\x80\x8b", "\xe2\x81\xa6x", "\xef\xbb\xbf"}) {
    INFO(text);
    CHECK_FALSE(PrintableLength(text));
  }
}

TEST_CASE("printable: counts characters, not bytes", "[policy]") {
  CHECK(PrintableLength("") == 0);
  CHECK(PrintableLength("my job") == 6);
  CHECK(PrintableLength("Größe") == 5);
  CHECK(PrintableLength("日本語") == 3);
}

TEST_CASE("printable: plain text keeps ASCII and its bound", "[policy]") {
  CHECK(PlainText("exit\n1\xc3\xa4", 20) == "exit?1??");
  CHECK(PlainText("abcdef", 3) == "abc");
}

}  // namespace
}  // namespace carme
