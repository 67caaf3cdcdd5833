#include "slurm-hooks/agent/usage/websocket_input.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::agent {
namespace {

// A browser's frame.
std::string Frame(int opcode, const std::string& payload,
                  bool compressed = false) {
  const std::string mask = "\x12\x34\x56\x78";
  std::string frame;
  frame += static_cast<char>(0x80 | (compressed ? 0x40 : 0) | opcode);
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 255);
  }
  frame += mask;
  for (size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return frame;
}

TEST_CASE("websocket input: keep-alives of a background tab do not count",
          "[agent]") {
  struct Row {
    const char* path;
    std::string frame;
  };
  const std::vector<Row> rows = {
      {"/", Frame(9, "")},
      {"/", Frame(10, "abcd")},
      {"/", Frame(8, "\x03\xe8")},
      {"/api/kernels/x/channels",
       Frame(1, R"({"header":{"msg_type":"kernel_info_request"}})")},
      // VS Code: KeepAlive and Ack of its own framing, and compressed ones.
      {"/stable-1", Frame(2, std::string("\x09", 1) + std::string(12, '\0'))},
      {"/stable-1",
       Frame(2, std::string("\x03\0\0\0\x07\0\0\0\x09\0\0\0\0", 13))},
      {"/stable-1", Frame(2, "1234567", true)},
      {"/socket.io/", Frame(1, "2")},
      // noVNC asks for a picture.
      {"/websockify",
       Frame(2, std::string("\x03\x01\0\0\0\0\x04\0\x03\0", 10))},
  };
  for (const Row& row : rows) {
    WebsocketInput whole(row.path), slow(row.path);
    CHECK_FALSE(whole.Feed(row.frame, 0));
    bool input = false;
    for (const char c : row.frame) input |= slow.Feed({&c, 1}, 0);
    CHECK_FALSE(input);
  }
}

TEST_CASE("websocket input: a user's input counts", "[agent]") {
  struct Row {
    const char* path;
    std::string frame;
  };
  const std::vector<Row> rows = {
      {"/api/kernels/x/channels",
       Frame(1, R"({"header":{"msg_type":"execute_request"}})")},
      {"/terminals/websocket/1", Frame(1, R"(["stdin","l"])")},
      {"/stable-1", Frame(2, std::string(13, 'x'), true)},
      {"/websockify", Frame(2, std::string("\x04\x01\0\0\0\0\0a", 8))},
      {"/upload", Frame(2, std::string(5000, 'z'))},
      // Not a readable websocket: counts as input.
      {"/", "\x01\x05hello"},
  };
  for (const Row& row : rows) {
    WebsocketInput meter(row.path);
    // Behind a keep-alive, in two pieces.
    CHECK_FALSE(meter.Feed(Frame(9, ""), 0));
    const size_t half = row.frame.size() / 2;
    const bool first = meter.Feed(row.frame.substr(0, half), 0);
    CHECK((meter.Feed(row.frame.substr(half), 0) || first));
  }
}

// Recorded in an idle tab.
TEST_CASE("websocket input: VS Code's latency measurement does not count",
          "[agent]") {
  const char* path = "/stable-409c64e0?reconnectionToken=c0ffee&skip=false";
  const std::string ping = Frame(2, std::string(21, 'p'), true);
  WebsocketInput meter(path);
  int64_t now_ms = 1'000'000;
  for (int minute = 0; minute < 60; ++minute) {
    for (int i = 0; i < 5; ++i) {
      CHECK_FALSE(meter.Feed(ping, now_ms));
      CHECK_FALSE(meter.Feed(Frame(2, "1234567", true), now_ms + 500));
      now_ms += 2000;
    }
    now_ms += 60'000;
  }
  // Two keys, as people type them.
  const std::string key = Frame(2, std::string(13, 'k'), true);
  CHECK_FALSE(meter.Feed(key, now_ms));
  CHECK(meter.Feed(key, now_ms + 300));
  // Uncompressed messages can be read.
  const std::string plain =
      std::string("\x01\0\0\0\xf0\0\0\0\xe1\0\0\0\x19", 13) +
      std::string("\x04\x04\x06\x64\x06\xec\x01\x01\x09telemetry\x01\x04ping",
                  24) +
      std::string(1, '\0');
  CHECK_FALSE(meter.Feed(Frame(2, plain), now_ms + 400));
  // For other apps, any message counts.
  CHECK(WebsocketInput("/stream").Feed(key, 0));
}

}  // namespace
}  // namespace carme::agent
