#include "common/printable.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("printable: a text that deceives has no length", "[common]") {
  for (const char* text :
       {"a\nb", "\x1b[31m", "a\x7f", "a\xc2\x85", "a\xe2\x80\xae",
        "a\xe2\x80\x8b", "\xe2\x81\xa6x", "\xef\xbb\xbf"}) {
    INFO(text);
    CHECK_FALSE(PrintableLength(text));
  }
}

TEST_CASE("printable: a joiner that changes nothing has no length",
          "[common]") {
  for (const char* text : {
           "ad\u200dmin", "ad\u200cmin", "\u200d", "\u200ca", "a\u200d",
           "\u06cc\u200c",              // at the end of an Arabic word
           "\u06cc\u200cx",             // before a letter that does not join
           "\u0627\u200c\u0628",        // alef joins nothing that follows
           "\u06cc\u200c\u200c\u06cc",  // two of them
           "\U0001f469\u200d",          // half an emoji
           "\U0001f469\u200dx", "x\u200d\U0001f469",
           "\u0915\u200d\u0937",  // Devanagari without a virama
       }) {
    INFO(text);
    CHECK_FALSE(PrintableLength(text));
  }
}

TEST_CASE(
    "printable: bidirectional controls and invisible characters have no width",
    "[common]") {
  for (const char* text :
       {"a\u061cb", "a\u200eb", "a\u200fb", "a\u202ab", "a\u202eb", "a\u2066b",
        "a\u2069b", "a\u00adb", "a\u034fb", "a\u115fb", "a\u3164b", "a\u180eb",
        "a\ufff9b", "\ufe0f", "a\ufe0f\ufe0f", "a\U000e0041b"}) {
    INFO(text);
    CHECK_FALSE(PrintableLength(text));
  }
}

TEST_CASE("printable: joiners are accepted where scripts and emoji need them",
          "[common]") {
  // Persian "books" and "I want", Devanagari and Sinhala conjuncts, a family, a
  // woman technician with a skin tone, a heart in colour.
  for (const char* text : {
           "\u06a9\u062a\u0627\u0628\u200c\u0647\u0627",
           "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
           "\u0915\u094d\u200d\u0937",
           "\u0915\u094d\u200c\u0937",
           "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
           "\U0001f468\u200d\U0001f469\u200d\U0001f467",
           "\U0001f469\U0001f3fd\u200d\U0001f4bb",
           "\u2764\ufe0f",
           "\u2764\ufe0f\u200d\U0001f525",
       }) {
    INFO(text);
    CHECK(PrintableLength(text));
    CHECK(Readable(text, 100) == text);
  }
  CHECK(PrintableLength("\u0645\u06cc\u200c\u062e") == 4);
}

TEST_CASE("printable: counts characters, not bytes", "[common]") {
  CHECK(PrintableLength("") == 0);
  CHECK(PrintableLength("my job") == 6);
  CHECK(PrintableLength("Größe") == 5);
  CHECK(PrintableLength("日本語") == 3);
}

TEST_CASE("printable: plain text keeps ASCII and its bound", "[common]") {
  CHECK(PlainText("exit\n1\xc3\xa4", 20) == "exit?1??");
  CHECK(PlainText("abcdef", 3) == "abc");
}

TEST_CASE("printable: readable text has no deceptive characters", "[common]") {
  CHECK(Readable("ada\nroot logged in", 64) == "ada?root logged in");
  CHECK(Readable("a\x1b[31m\x7f\xc2\x85", 64) == "a?[31m??");
  CHECK(Readable("a\xe2\x80\xae"
                 "b",
                 64) == "a?b");
  CHECK(Readable(std::string_view("a\0b", 3), 64) == "a?b");
}

TEST_CASE("printable: readable text is UTF-8", "[common]") {
  CHECK(Readable("Größe 日本語 \xf0\x9f\x98\x80", 64) ==
        "Größe 日本語 \xf0\x9f\x98\x80");
  CHECK(Readable("\xff\xc3", 64) == "??");            // not a beginning; cut
  CHECK(Readable("\xc0\xaf", 64) == "??");            // overlong "/"
  CHECK(Readable("\xed\xa0\x80", 64) == "???");       // a surrogate
  CHECK(Readable("\xf4\x90\x80\x80", 64) == "????");  // above U+10FFFF
}

TEST_CASE("printable: readable text is cut between characters", "[common]") {
  CHECK(Readable("abcdef", 3) == "abc");
  CHECK(Readable("aöö", 4) == "aö");
  CHECK(Readable("abc", 0).empty());
}

TEST_CASE("printable: cuts only between characters", "[common]") {
  CHECK(CutOffBefore("") == 0);
  CHECK(CutOffBefore("ö") == 0);
  CHECK(CutOffBehind("") == 0);
  CHECK(CutOffBehind("aö") == 0);
  CHECK(CutOffBehind("a\xff") == 0);
  CHECK(CutOffBehind("a\xc0") == 0);             // overlong
  CHECK(CutOffBehind("a\xed\xa0") == 0);         // a surrogate
  CHECK(CutOffBehind("a\xf4\x90\x80") == 0);     // above U+10FFFF
  CHECK(CutOffBehind("\x80\x80\x80\x80") == 0);  // no beginning
}

TEST_CASE("printable: a text cut anywhere has its odd bytes at the ends",
          "[common]") {
  const std::string text =
      "ö日\xed\x9f\xbf\xe0\xa0\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
  REQUIRE(IsUtf8(text));
  for (size_t at = 0; at <= text.size(); ++at) {
    INFO("cut at " << at);
    const size_t before = CutOffBehind(std::string_view(text).substr(0, at));
    const size_t behind = CutOffBefore(std::string_view(text).substr(at));
    CHECK(IsUtf8(text.substr(0, at - before)));
    CHECK(IsUtf8(text.substr(at + behind)));
    CHECK((before == 0) == (behind == 0));
  }
}

TEST_CASE("printable: distinguishes UTF-8 from other bytes", "[common]") {
  CHECK_FALSE(IsUtf8("a\xff"));
  CHECK_FALSE(IsUtf8("\xed\xa0\x80"));
  CHECK_FALSE(IsUtf8("Gr\xc3"));
  CHECK(IsUtf8(""));
  CHECK(IsUtf8("Größe 日本語\n"));
}

}  // namespace
}  // namespace carme
