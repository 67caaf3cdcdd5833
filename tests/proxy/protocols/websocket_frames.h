// Websocket frames (RFC 6455 section 5), written by a client without checks,
// and parsed from a server.
#ifndef CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_FRAMES_H_
#define CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_FRAMES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carme::testing {

inline constexpr int kContinuation = 0, kText = 1, kBinary = 2, kClose = 8,
                     kPing = 9, kPong = 10;
inline constexpr int kCompressed = 4;  // RSV1

// A masked client frame. `rsv`: three bits.
std::string ClientFrame(int opcode, std::string_view payload, bool last = true,
                        int rsv = 0);
// The payload of a close frame.
std::string CloseBody(int code, std::string_view reason = "");

// Events in a form that can be compared: "text 5 6a09e667" with size and
// digest, "pong 0 …", "close 1000", "broken".
class ServerFrames {
 public:
  // Messages are inflated when `compressed`; with the context of earlier ones
  // when `keeps_context`.
  explicit ServerFrames(bool compressed = false, bool keeps_context = true);
  ~ServerFrames();
  ServerFrames(const ServerFrames&) = delete;

  void Take(std::string_view bytes);
  const std::vector<std::string>& events() const { return events_; }
  bool closed() const { return closed_; }

  // An expected event.
  static std::string Event(int opcode, std::string_view payload);

 private:
  bool TakeFrame();
  void TakeMessage();

  struct Inflater;
  Inflater* inflater_ = nullptr;
  const bool keeps_context_;
  std::string held_;
  size_t at_ = 0;
  std::string message_;
  int opcode_ = 0;  // of the current message
  bool deflated_ = false;
  bool closed_ = false;
  std::vector<std::string> events_;
};

// Compresses messages for permessage-deflate (RFC 7692).
class Deflater {
 public:
  Deflater(int window_bits, bool keeps_context);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  std::string Deflate(std::string_view message);

 private:
  struct State;
  State* const state_;
  const bool keeps_context_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_FRAMES_H_
