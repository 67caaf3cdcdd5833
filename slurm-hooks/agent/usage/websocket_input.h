// Distinguishes input of a person from messages that a page sends by itself, in
// the bytes from the browser on one websocket (RFC 6455).
//
// Requests and keep-alives of a page in a background tab are not use of the
// job. Ambiguous messages count as input: a job is rather kept too long.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_WEBSOCKET_INPUT_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_WEBSOCKET_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carme::agent {

// The beginning of a websocket message.
struct WebsocketMessage {
  bool text = false;        // or binary
  bool compressed = false;  // then `begins` is not readable
  uint64_t size = 0;
  std::string_view begins;  // at most kSampleBytes
  std::string_view path;    // of the request that opened the websocket
};
// Pure. Recognizes the automatic messages of Jupyter, VS Code, noVNC and
// carme-shell.
bool IsInput(const WebsocketMessage& message);

// VS Code compresses its messages, and measures its latency with five messages,
// two seconds apart, every minute. Therefore one compressed message is not
// input, and two within kTogetherMs are: each action of a person sends several.
//
// Bounded: buffers a sample of one message.
class WebsocketInput {
 public:
  static constexpr size_t kSampleBytes = 512;
  static constexpr int64_t kTogetherMs = 1000;

  // `path` of the request that opened it.
  explicit WebsocketInput(std::string path = "")
      : path_(std::move(path)),
        is_vscode_(path_.find("reconnectionToken=") != std::string::npos) {}

  // Processes the next bytes, received at `now_ms` of a monotonic clock.
  // Returns whether input of a person ended in them.
  bool Feed(std::string_view bytes, int64_t now_ms);
  // Whether anything was fed.
  bool begun() const { return begun_; }
  // The bytes are not a websocket: from now on everything counts as input.
  bool unknown() const { return unknown_; }

 private:
  // Each removes the bytes that it used from the front of `bytes`.
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

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_WEBSOCKET_INPUT_H_
