#include "tests/proxy/protocols/websocket_cases.h"

#include <utility>

#include "tests/proxy/protocols/websocket_frames.h"

namespace carme::testing {
namespace {

using std::string_literals::operator""s;
using Cases = std::vector<WebsocketCase>;
using Strings = std::vector<std::string>;

const Strings kBroken = {"close 1002"};
const std::string kHello = "Hello-\xc2\xb5@\xc3\x9f\xc3\xb6\xc3\xa4\xc3\xbc";

std::string Echo(std::string_view text, int opcode = kText) {
  return ServerFrames::Event(opcode, text);
}

// Sent at once, and answered by those events.
WebsocketCase Plain(std::string name, std::string bytes, Strings events,
                    Strings close = {}, size_t chop = 0) {
  const size_t await = events.size();
  return {std::move(name),
          {{std::move(bytes), chop, await}},
          std::move(events),
          std::move(close)};
}

// A good message, its echo, and then what is not allowed.
WebsocketCase ThenBroken(std::string name, std::string bytes, size_t chop = 0) {
  return {std::move(name),
          {{ClientFrame(kText, kHello), chop, 1},
           {std::move(bytes) + ClientFrame(kPing, ""), chop, 0}},
          {Echo(kHello)},
          kBroken};
}

// All of it at once, frame by frame, and byte by byte.
void AddChopped(Cases* cases, const std::string& name, const Strings& frames,
                const Strings& events, const Strings& close = {}) {
  std::string all;
  for (const std::string& frame : frames) all += frame;
  cases->push_back(Plain(name + " at once", all, events, close));
  WebsocketCase by_frame{name + " frame by frame", {}, events, close};
  for (const std::string& frame : frames) {
    by_frame.steps.push_back({frame, 0, 0});
  }
  by_frame.steps.back().await = events.size();
  cases->push_back(std::move(by_frame));
  cases->push_back(Plain(name + " byte by byte", all, events, close, 1));
}

}  // namespace

Cases FramingCases() {
  Cases cases;
  for (const int opcode : {kText, kBinary}) {
    const std::string group = opcode == kText ? "1.1." : "1.2.";
    int number = 0;
    for (const size_t size : {0, 125, 126, 127, 128, 65535, 65536, 65536}) {
      ++number;
      const std::string payload(size, opcode == kText ? '*' : '\xfe');
      cases.push_back(
          Plain(group + std::to_string(number), ClientFrame(opcode, payload),
                {Echo(payload, opcode)}, {}, number == 8 ? 997 : 0));
    }
  }
  return cases;
}

Cases PingCases() {
  const std::string binary = "\x00\xff\xfe\xfd\xfc\xfb\x00\xff"s;
  const std::string full(125, '\xfe');
  Cases cases;
  auto ping = [&](const std::string& name, const std::string& payload,
                  size_t chop = 0) {
    cases.push_back(Plain(name, ClientFrame(kPing, payload),
                          {Echo(payload, kPong)}, {}, chop));
  };
  ping("2.1", "");
  ping("2.2", "Hello, world!");
  ping("2.3", binary);
  ping("2.4", full);
  cases.push_back(
      Plain("2.5", ClientFrame(kPing, std::string(126, '\xfe')), {}, kBroken));
  ping("2.6", full, 1);
  cases.push_back(Plain("2.7", ClientFrame(kPong, ""), {}));
  cases.push_back(Plain("2.8", ClientFrame(kPong, "unsolicited"), {}));
  cases.push_back(
      Plain("2.9", ClientFrame(kPong, "unsolicited") + ClientFrame(kPing, "p"),
            {Echo("p", kPong)}));
  for (const size_t chop : {0, 1}) {
    std::string frames;
    Strings events;
    for (int i = 0; i < 10; ++i) {
      const std::string payload = "payload-" + std::to_string(i);
      frames += ClientFrame(kPing, payload);
      events.push_back(Echo(payload, kPong));
    }
    cases.push_back(
        Plain(chop == 0 ? "2.10" : "2.11", frames, events, {}, chop));
  }
  return cases;
}

Cases ReservedBitCases() {
  Cases cases;
  cases.push_back(
      Plain("3.1", ClientFrame(kText, kHello, true, 1), {}, kBroken));
  size_t chop = 0;
  for (const int rsv : {2, 3, 4}) {
    cases.push_back(ThenBroken("3." + std::to_string(rsv),
                               ClientFrame(kText, kHello, true, rsv), chop));
    chop = chop == 0 ? 7 : 1;
  }
  cases.push_back(
      Plain("3.5", ClientFrame(kBinary, "\xfe\xff", true, 5), {}, kBroken));
  cases.push_back(Plain("3.6", ClientFrame(kPing, "p", true, 6), {}, kBroken));
  cases.push_back(
      Plain("3.7", ClientFrame(kClose, CloseBody(1000), true, 7), {}, kBroken));
  return cases;
}

Cases OpcodeCases() {
  Cases cases;
  for (const int first : {3, 11}) {
    const std::string group = first == 3 ? "4.1." : "4.2.";
    for (int i = 0; i < 5; ++i) {
      const std::string name = group + std::to_string(i + 1);
      const std::string frame =
          ClientFrame(first + i, i % 2 == 1 ? "reserved" : "");
      cases.push_back(i < 2 ? Plain(name, frame, {}, kBroken)
                            : ThenBroken(name, frame, i == 4 ? 1 : 0));
    }
  }
  return cases;
}

Cases FragmentationCases() {
  const Strings two = {ClientFrame(kText, "fragment1", false),
                       ClientFrame(kContinuation, "fragment2")};
  const std::string whole = "fragment1fragment2";
  Cases cases;
  cases.push_back(Plain("5.1",
                        ClientFrame(kPing, "fragment1", false) +
                            ClientFrame(kContinuation, "fragment2"),
                        {}, kBroken));
  cases.push_back(Plain("5.2",
                        ClientFrame(kPong, "fragment1", false) +
                            ClientFrame(kContinuation, "fragment2"),
                        {}, kBroken));
  AddChopped(&cases, "5.3 to 5.5", two, {Echo(whole)});
  AddChopped(&cases, "5.6 to 5.8", {two[0], ClientFrame(kPing, "p"), two[1]},
             {Echo("p", kPong), Echo(whole)});
  for (const bool last : {true, false}) {
    AddChopped(&cases, last ? "5.9 to 5.11" : "5.12 to 5.14",
               {ClientFrame(kContinuation, "nothing to continue", last),
                ClientFrame(kText, kHello)},
               {}, kBroken);
  }
  cases.push_back({"5.15",
                   {{two[0] + two[1], 0, 1},
                    {ClientFrame(kContinuation, "fragment3", false) +
                         ClientFrame(kText, "fragment4"),
                     0, 0}},
                   {Echo(whole)},
                   kBroken});
  for (const bool last : {false, true}) {
    std::string frames;
    for (int i = 0; i < 2; ++i) {
      frames += ClientFrame(kContinuation, "fragment1", last) + two[0] + two[1];
    }
    cases.push_back(Plain(last ? "5.17" : "5.16", frames, {}, kBroken));
  }
  cases.push_back(Plain("5.18", two[0] + ClientFrame(kText, "fragment2", false),
                        {}, kBroken));
  for (const size_t chop : {0, 1}) {
    const std::string first = ClientFrame(kText, "1", false) +
                              ClientFrame(kContinuation, "2", false) +
                              ClientFrame(kPing, "ping 1"),
                      then = ClientFrame(kContinuation, "3", false) +
                             ClientFrame(kContinuation, "4", false) +
                             ClientFrame(kPing, "ping 2") +
                             ClientFrame(kContinuation, "5");
    cases.push_back(
        {chop == 0 ? "5.19" : "5.20",
         {{first, chop, 1}, {then, chop, 3}},
         {Echo("ping 1", kPong), Echo("ping 2", kPong), Echo("12345")},
         {}});
  }
  return cases;
}

Cases CloseCases() {
  Cases cases;
  const std::string text = ClientFrame(kText, "Hello World!");
  auto close = [&](const std::string& name, const std::string& before,
                   const std::string& body, const std::string& after,
                   const Strings& events, const Strings& answer) {
    WebsocketCase made{name, {}, events, answer};
    if (!before.empty()) made.steps.push_back({before, 0, events.size()});
    made.steps.push_back({ClientFrame(kClose, body) + after, 0, 0});
    cases.push_back(std::move(made));
  };
  const std::string normal = CloseBody(1000);
  const Strings good = {"close 1000"}, data = {"close 1007", "close 1002"};
  close("7.1.1", text, normal, "", {Echo("Hello World!")}, good);
  close("7.1.2", "", normal, ClientFrame(kClose, normal), {}, good);
  close("7.1.3", "", normal, ClientFrame(kPing, "p"), {}, good);
  close("7.1.4", "", normal, text, {}, good);
  // A message that is not whole is not given back.
  cases.push_back(Plain("7.1.5",
                        ClientFrame(kText, "fragment1", false) +
                            ClientFrame(kClose, normal) +
                            ClientFrame(kContinuation, "fragment2"),
                        {}, good));
  const std::string large(256 * 1024, 'B');
  close("7.1.6", ClientFrame(kText, large), normal, ClientFrame(kPing, "p"),
        {Echo(large)}, good);
  close("7.3.1", "", "", "", {}, {"close", "close 1000"});
  close("7.3.2", "", "a", "", {}, kBroken);
  close("7.3.3", "", normal, "", {}, good);
  close("7.3.4", "", CloseBody(1000, "Hello World!"), "", {}, good);
  close("7.3.5", "", CloseBody(1000, std::string(123, '*')), "", {}, good);
  close("7.3.6", "", CloseBody(1000, std::string(124, '*')), "", {}, kBroken);
  close("7.5.1", "", CloseBody(1000, "\xce\xba\xed\xa0\x80"), "", {}, data);
  int number = 0;
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011,
                         3000, 3999, 4000, 4999}) {
    close("7.7." + std::to_string(++number), "", CloseBody(code), "", {},
          {"close " + std::to_string(code)});
  }
  number = 0;
  for (const int code : {0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999}) {
    close("7.9." + std::to_string(++number), "", CloseBody(code), "", {},
          kBroken);
  }
  number = 0;
  for (const int code : {5000, 65535}) {
    close("7.13." + std::to_string(++number), "", CloseBody(code), "", {},
          kBroken);
  }
  return cases;
}

}  // namespace carme::testing
