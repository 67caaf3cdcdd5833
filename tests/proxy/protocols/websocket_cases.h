// The cases of the Autobahn test suite for websocket servers, by their numbers:
// the bytes that a client sends and the expected events.
#ifndef CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_CASES_H_
#define CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_CASES_H_

#include <string>
#include <vector>

namespace carme::testing {

// Sent at once, or in pieces of `chop` bytes. Then waits for this many events
// of the whole case.
struct WebsocketStep {
  std::string bytes;
  size_t chop = 0;
  size_t await = 0;
};

struct WebsocketCase {
  std::string name;
  std::vector<WebsocketStep> steps;
  // Events (websocket_frames.h) before the close frame.
  std::vector<std::string> events;
  // The server's close frame must be one of these. Empty: the client closes
  // with 1000.
  std::vector<std::string> close;
};

std::vector<WebsocketCase> FramingCases();        // 1
std::vector<WebsocketCase> PingCases();           // 2
std::vector<WebsocketCase> ReservedBitCases();    // 3
std::vector<WebsocketCase> OpcodeCases();         // 4
std::vector<WebsocketCase> FragmentationCases();  // 5
std::vector<WebsocketCase> Utf8Cases();           // 6
std::vector<WebsocketCase> CloseCases();          // 7
std::vector<WebsocketCase> LimitCases();          // 9 and 10

// 12 and 13: permessage-deflate with this offer, and messages to send.
struct DeflateCase {
  std::string name;
  std::string offer;
  int window_bits;    // of the client
  bool client_keeps;  // keeps the client's context
  bool server_keeps;
  std::vector<std::string> messages;
  size_t fragment = 0;  // bytes per frame; 0: one frame per message
};
std::vector<DeflateCase> DeflateCases();

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROTOCOLS_WEBSOCKET_CASES_H_
