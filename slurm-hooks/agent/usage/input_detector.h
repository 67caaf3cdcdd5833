// Distinguishes input of a person from what a page sends by itself, in the
// bytes from the browser on one connection to an app: HTTP/1.1 and websockets.
//
// A page in a background tab polls and sends keep-alives, which is not use of
// the job. Ambiguous traffic counts as input: rather keep a job too long.
#ifndef CARME_SLURM_HOOKS_AGENT_USAGE_INPUT_DETECTOR_H_
#define CARME_SLURM_HOOKS_AGENT_USAGE_INPUT_DETECTOR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "common/http1/body.h"
#include "common/http1/head.h"
#include "slurm-hooks/agent/usage/websocket_input.h"

namespace carme::agent {

// Buffers at most 64 KiB of a request head and a sample of a websocket.
class InputDetector {
 public:
  // Processes the next bytes; returns whether input of a person ended in them.
  bool Feed(std::string_view bytes);

 private:
  enum class State {
    kHead,
    kBody,
    kWebsocket,
    kUnknown,
  };
  // Each consumes its part from the front of `bytes`.
  bool TakeHead(std::string_view* bytes);
  void TakeBody(std::string_view* bytes);
  bool TakeFrames(std::string_view* bytes);
  bool GiveUp();

  State state_ = State::kHead;
  std::string kept_;  // of a head
  BodyProgress body_{BodyFraming()};
  WebsocketInput websocket_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_USAGE_INPUT_DETECTOR_H_
