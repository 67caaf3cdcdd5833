// Tells a person's input from what a page sends by itself, in the bytes that
// come from the browser on one connection to an app: HTTP/1.1, and websockets.
//
// A page in a background tab asks and keeps alive; that is no use of the job.
// What cannot be told apart counts as input: rather is a job kept too long.
#ifndef CARME_SLURM_HOOKS_AGENT_INPUT_METER_H_
#define CARME_SLURM_HOOKS_AGENT_INPUT_METER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace carme::agent {

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

// Bounded: keeps at most 64 KiB of a request's head, and the sample.
class InputMeter {
 public:
  static constexpr size_t kSampleBytes = 512;

  // Of the bytes that come next: whether something of a person's ended in them.
  bool Feed(std::string_view bytes);

 private:
  enum class State {
    kHead,
    kBody,
    kChunkHead,
    kChunk,
    kTrailer,
    kFrameHead,
    kFrame,
    kUnknown,
  };
  // Each takes what it uses from the front of `bytes`.
  bool TakeHead(std::string_view* bytes);
  void TakeBody(std::string_view* bytes, State next);
  void TakeChunkHead(std::string_view* bytes);
  void TakeTrailer(std::string_view* bytes);
  bool TakeFrameHead(std::string_view* bytes);
  bool TakeFrame(std::string_view* bytes);
  bool TakeLine(std::string_view* bytes, std::string* line);
  bool BeginFrame();
  bool EndFrame();
  bool GiveUp();

  State state_ = State::kHead;
  std::string kept_;        // of a head, a line or a frame's head
  uint64_t left_ = 0;       // of a body, a chunk or a frame
  std::string path_;        // of the last request
  bool in_frames_ = false;  // there has been a whole frame
  // Of the frame that comes.
  int opcode_ = 0;
  bool compressed_ = false;
  uint64_t size_ = 0;
  uint64_t seen_ = 0;
  unsigned char mask_[4] = {};
  std::string sample_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_INPUT_METER_H_
