// Tells a person's input from what a page sends by itself, in the bytes that
// come from the browser on one websocket (RFC 6455).
//
// A page in a background tab asks and keeps alive; that is no use of the job.
// What cannot be told apart counts as input: rather is a job kept too long.
#ifndef CARME_COMMON_NET_WEBSOCKET_INPUT_H_
#define CARME_COMMON_NET_WEBSOCKET_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carme {

// What the beginning of a websocket's message is.
struct WebsocketMessage {
  bool text = false;        // or binary
  bool compressed = false;  // then `begins` says nothing
  uint64_t size = 0;
  std::string_view begins;  // at most kSampleBytes
  std::string_view path;    // of the request that opened the websocket
};
// Pure. Known are the messages of Jupyter, VS Code, noVNC and carme-shell.
bool IsInput(const WebsocketMessage& message);

// VS Code's messages are compressed, and it measures by itself how far away its
// server is: every minute five messages, two seconds apart. So there one
// message alone is nothing, and two within kTogether are a person's: whatever
// somebody does in it takes several.
//
// Bounded: keeps the sample of one message.
class WebsocketInput {
 public:
  static constexpr size_t kSampleBytes = 512;
  static constexpr int64_t kTogetherMs = 1000;

  // `path` of the request that opened it.
  explicit WebsocketInput(std::string path = "")
      : path_(std::move(path)),
        is_vscode_(path_.find("reconnectionToken=") != std::string::npos) {}

  // Of the bytes that come next, at `now_ms` by any clock that does not jump:
  // whether something of a person's ended in them.
  bool Feed(std::string_view bytes, int64_t now_ms);
  // There has been a whole frame's head.
  // Whether anything was fed.
  bool begun() const { return begun_; }
  // It is no websocket: from now on all is input.
  bool unknown() const { return unknown_; }

 private:
  // Each takes what it uses from the front of `bytes`.
  bool TakeHead(std::string_view* bytes);
  bool TakePayload(std::string_view* bytes);
  bool Begin();
  bool End();
  bool GiveUp();

  std::string path_;
  bool is_vscode_;
  int64_t now_ms_ = 0;
  int64_t last_ms_ = INT64_MIN / 2;  // of VS Code's compressed messages
  std::string kept_;                 // of a frame's head
  std::string sample_;
  uint64_t size_ = 0;
  uint64_t left_ = 0;
  uint64_t seen_ = 0;
  int opcode_ = 0;
  bool compressed_ = false;
  bool in_payload_ = false;
  bool begun_ = false;
  bool unknown_ = false;
  unsigned char mask_[4] = {};
};

}  // namespace carme

#endif  // CARME_COMMON_NET_WEBSOCKET_INPUT_H_
