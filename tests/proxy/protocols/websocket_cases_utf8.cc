// Group 6: UTF-8, after the sequences of Markus Kuhn's test file.
#include <algorithm>

#include "tests/proxy/protocols/websocket_cases.h"
#include "tests/proxy/protocols/websocket_frames.h"

namespace carme::testing {
namespace {

using std::string_literals::operator""s;
using Cases = std::vector<WebsocketCase>;
using Strings = std::vector<std::string>;

const Strings kNoText = {"close 1007"};
const std::string kGood =
    "Hello-\xc2\xb5@\xc3\x9f\xc3\xb6\xc3\xa4\xc3\xbc\xc3"
    "\xa0\xc3\xa1-UTF-8!!";
const std::string kKosme = "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5";

// In pieces of `size` bytes, as frames of one message.
std::string Fragments(const std::string& text, size_t size) {
  std::string frames;
  for (size_t at = 0; at < text.size(); at += size) {
    frames += ClientFrame(at == 0 ? kText : kContinuation,
                          text.substr(at, size), at + size >= text.size());
  }
  return frames;
}

WebsocketCase Said(const std::string& name, const std::string& frames,
                   const std::string& text, bool good) {
  if (!good) return {name, {{frames, 0, 0}}, {}, kNoText};
  return {name, {{frames, 0, 1}}, {ServerFrames::Event(kText, text)}, {}};
}

// In one frame, and with each byte in its own.
void Add(Cases* cases, const std::string& group, const Strings& texts,
         bool good) {
  int number = 0;
  for (const std::string& text : texts) {
    const std::string name = group + std::to_string(++number);
    cases->push_back(Said(name, ClientFrame(kText, text), text, good));
    cases->push_back(Said(name + " in bytes", Fragments(text, 1), text, good));
  }
}

// As UTF-8 would write it if it went on like that.
std::string Encode(uint32_t code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  int more = code < 0x800       ? 1
             : code < 0x10000   ? 2
             : code < 0x200000  ? 3
             : code < 0x4000000 ? 4
                                : 5;
  std::string bytes(1, static_cast<char>((0xff00u >> (more + 1) & 0xff) |
                                         code >> (6 * more)));
  while (more-- > 0) {
    bytes += static_cast<char>(0x80 | (code >> (6 * more) & 0x3f));
  }
  return bytes;
}

Strings Encoded(const std::vector<uint32_t>& codes) {
  Strings texts;
  for (const uint32_t code : codes) texts.push_back(Encode(code));
  return texts;
}

}  // namespace

std::vector<WebsocketCase> Utf8Cases() {
  Cases cases;
  cases.push_back(Said("6.1.1", ClientFrame(kText, ""), "", true));
  for (const std::string& middle : {""s, "middle frame payload"s}) {
    cases.push_back(Said(middle.empty() ? "6.1.2" : "6.1.3",
                         ClientFrame(kText, "", false) +
                             ClientFrame(kContinuation, middle, false) +
                             ClientFrame(kContinuation, ""),
                         middle, true));
  }
  cases.push_back(Said("6.2.1", ClientFrame(kText, kGood), kGood, true));
  cases.push_back(Said("6.2.2", Fragments(kGood, 9), kGood, true));
  cases.push_back(Said("6.2.3", Fragments(kGood, 1), kGood, true));
  cases.push_back(Said("6.2.4", Fragments(kKosme, 1), kKosme, true));
  const std::string bad = kKosme + "\xed\xa0\x80" + "edited";
  Add(&cases, "6.3.", {bad}, false);
  // What is wrong is known before the rest has come.
  cases.push_back(
      Said("6.4.1",
           ClientFrame(kText, kKosme, false) +
               ClientFrame(kContinuation, "\xf4\x90\x80\x80", false),
           "", false));
  cases.push_back(Said("6.4.2",
                       ClientFrame(kText, kKosme + "\xf4", false) +
                           ClientFrame(kContinuation, "\x90", false),
                       "", false));
  Add(&cases, "6.5.", {kKosme}, true);
  Strings cut;
  for (const std::string& text : {kKosme, Encode(0x10ffff)}) {
    for (size_t size = 1; size < text.size(); ++size) {
      // The last byte that is there wants another.
      const auto next = static_cast<unsigned char>(text[size]);
      if ((next & 0xc0) == 0x80) cut.push_back(text.substr(0, size));
    }
  }
  Add(&cases, "6.6.", cut, false);
  Add(&cases, "6.7.", Encoded({0, 0x80, 0x800, 0x10000}), true);
  Add(&cases, "6.8.", Encoded({0x200000, 0x4000000}), false);
  Add(&cases, "6.9.", Encoded({0x7f, 0x7ff, 0xffff, 0x10ffff}), true);
  Add(&cases, "6.10.", Encoded({0x1fffff, 0x3ffffff, 0x7fffffff}), false);
  Add(&cases, "6.11.", Encoded({0xd7ff, 0xe000, 0xfffd, 0x10ffff}), true);
  Add(&cases, "6.11.b.", Encoded({0x110000}), false);
  Strings lonely;
  for (size_t size = 1; size <= 7; ++size) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += i % 2 == 0 ? '\x80' : '\xbf';
    lonely.push_back(bytes);
  }
  lonely.push_back("\xbf");
  Add(&cases, "6.12.", lonely, false);
  Strings starts;
  for (const auto& [first, last] :
       {std::pair(0xc0, 0xdf), std::pair(0xe0, 0xef), std::pair(0xf0, 0xf7),
        std::pair(0xf8, 0xfb), std::pair(0xfc, 0xfd)}) {
    std::string text;
    for (int byte = first; byte <= last; ++byte) {
      text += static_cast<char>(byte);
      text += ' ';
    }
    starts.push_back(text);
  }
  Add(&cases, "6.13.", starts, false);
  const Strings missing = {
      "\xc0"s, "\xe0\x80"s, "\xf0\x80\x80"s, "\xf8\x80\x80\x80"s,
      "\xdf"s, "\xef\xbf"s, "\xf7\xbf\xbf"s, "\xfc\x80\x80\x80\x80"s};
  Add(&cases, "6.14.", missing, false);
  std::string all;
  for (const std::string& text : missing) all += text;
  Add(&cases, "6.15.", {all}, false);
  Add(&cases, "6.16.", {"\xfe", "\xff", "\xfe\xfe\xff\xff"}, false);
  Add(&cases, "6.17.",
      {"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x80\x80\x80\xaf",
       "\xfc\x80\x80\x80\x80\xaf"},
      false);
  Add(&cases, "6.18.",
      {"\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf8\x87\xbf\xbf\xbf",
       "\xfc\x83\xbf\xbf\xbf\xbf"},
      false);
  Add(&cases, "6.19.",
      {"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf8\x80\x80\x80\x80",
       "\xfc\x80\x80\x80\x80\x80"},
      false);
  const std::vector<uint32_t> surrogates = {0xd800, 0xdb7f, 0xdb80, 0xdbff,
                                            0xdc00, 0xdf80, 0xdfff};
  Add(&cases, "6.20.", Encoded(surrogates), false);
  Strings pairs;
  for (size_t i = 0; i < 4; ++i) {
    for (const uint32_t low : {0xdc00u, 0xdfffu}) {
      pairs.push_back(Encode(surrogates[i]) + Encode(low));
    }
  }
  Add(&cases, "6.21.", pairs, false);
  Strings nothing;
  for (uint32_t plane = 0; plane <= 16; ++plane) {
    nothing.push_back(Encode(plane << 16 | 0xfffe));
    nothing.push_back(Encode(plane << 16 | 0xffff));
  }
  Add(&cases, "6.22.", nothing, true);
  Add(&cases, "6.23.",
      Encoded({0xfff9, 0xfffa, 0xfffb, 0xfffc, 0xfffd, 0xfeff, 0xfdd0}), true);
  return cases;
}

}  // namespace carme::testing
