// Groups 9, 10, 12 and 13: much at once, and compressed. Autobahn sends a
// thousand messages where this sends fewer.
#include "tests/proxy/protocols/websocket_cases.h"
#include "tests/proxy/protocols/websocket_frames.h"

namespace carme::testing {
namespace {

using Cases = std::vector<WebsocketCase>;

constexpr size_t kKiB = 1024, kMiB = 1024 * 1024;
constexpr int kRounds = 50;
constexpr int kMessages = 8;

std::string Fragments(int opcode, const std::string& payload, size_t size) {
  std::string frames;
  for (size_t at = 0; at < payload.size(); at += size) {
    frames += ClientFrame(at == 0 ? opcode : kContinuation,
                          std::string_view(payload).substr(at, size),
                          at + size >= payload.size());
  }
  return frames;
}

// What compresses in different ways: text, numbers, noise, nothing.
std::string Payload(int kind, size_t size) {
  std::string bytes;
  uint32_t random = 12345;
  while (bytes.size() < size) {
    random = random * 1664525 + 1013904223;
    switch (kind) {
      case 0:
        bytes += "{\"id\": " + std::to_string(random % 1000) +
                 ", \"text\": \"the quick brown fox\"}, ";
        break;
      case 1:
        bytes += std::to_string(random) + "\n";
        break;
      case 2:
        for (int shift = 24; shift >= 0; shift -= 8) {
          bytes += static_cast<char>(random >> shift & 0xff);
        }
        break;
      default:
        bytes += std::string(64, '\0');
    }
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

Cases LimitCases() {
  Cases cases;
  auto add = [&](const std::string& name, int opcode,
                 const std::string& payload, size_t fragment, size_t chop) {
    cases.push_back({name,
                     {{fragment == 0 ? ClientFrame(opcode, payload)
                                     : Fragments(opcode, payload, fragment),
                       chop, 1}},
                     {ServerFrames::Event(opcode, payload)},
                     {}});
  };
  for (const int opcode : {kText, kBinary}) {
    auto name = [&](int text, int number) {
      return "9." + std::to_string(opcode == kText ? text : text + 1) + "." +
             std::to_string(number);
    };
    const char fill = opcode == kText ? '*' : '\xfe';
    int number = 0;
    for (const size_t size :
         {64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB}) {
      add(name(1, ++number), opcode, std::string(size, fill), 0, 0);
    }
    number = 0;
    for (size_t size = 64; size <= 4 * kMiB; size *= 4) {
      // Below a KiB fewer of them.
      add(name(3, ++number), opcode,
          std::string(size < kKiB ? kMiB / 4 : 4 * kMiB, fill), size, 0);
    }
    number = 0;
    for (size_t size = 64; size <= 2 * kKiB; size *= 2) {
      add(name(5, ++number), opcode, std::string(kMiB / 4, fill), 0, size);
    }
    number = 0;
    for (const size_t size : {0, 16, 64, 256, 1024, 4096}) {
      const std::string payload(size, fill);
      WebsocketCase rounds{name(7, ++number), {}, {}, {}};
      for (size_t i = 1; i <= kRounds; ++i) {
        rounds.steps.push_back({ClientFrame(opcode, payload), 0, i});
        rounds.events.push_back(ServerFrames::Event(opcode, payload));
      }
      cases.push_back(std::move(rounds));
    }
  }
  add("10.1.1", kText, std::string(65536, '*'), 1300, 0);
  return cases;
}

std::vector<DeflateCase> DeflateCases() {
  std::vector<DeflateCase> cases;
  auto add = [&](const std::string& group, const std::string& offer, int bits,
                 bool client_keeps, bool server_keeps, int kind) {
    int number = 0;
    for (const size_t size :
         {16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072}) {
      DeflateCase made{group + "." + std::to_string(++number),
                       offer,
                       bits,
                       client_keeps,
                       server_keeps,
                       {},
                       size > 8192 && number % 2 == 0 ? 4096u : 0u};
      for (size_t i = 0; i < kMessages; ++i) {
        made.messages.push_back(Payload(kind, size + i));
      }
      cases.push_back(std::move(made));
    }
  };
  const std::string name = "permessage-deflate";
  for (int kind = 0; kind < 4; ++kind) {
    add("12." + std::to_string(kind + 1), name, 15, true, true, kind);
  }
  const std::string client_resets = "; client_no_context_takeover",
                    server_resets = "; server_no_context_takeover",
                    server_bits = "; server_max_window_bits=";
  add("13.1", name, 15, true, true, 0);
  add("13.2", name + server_resets + client_resets, 15, false, false, 0);
  add("13.3", name + server_bits + "9", 15, true, true, 0);
  add("13.4", name + server_bits + "15", 15, true, true, 0);
  add("13.5", name + server_resets + server_bits + "9", 15, true, false, 0);
  add("13.6", name + server_resets + server_bits + "15", 15, true, false, 0);
  add("13.7",
      name + server_resets + server_bits + "9, " + name + server_bits + "9, " +
          name,
      15, true, false, 0);
  return cases;
}

}  // namespace carme::testing
