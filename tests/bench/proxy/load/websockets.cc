#include "tests/bench/proxy/load/websockets.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/bench/proxy/load/bench_app.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {
namespace {

constexpr int kAtOnce = 16;

}  // namespace

std::string MaskedFrame() {
  const std::string mask = "\x37\xfa\x21\x3d";
  std::string frame = {'\x82', static_cast<char>(0x80 | kFrameBytes)};
  frame += mask;
  for (size_t i = 0; i < kFrameBytes; ++i) {
    frame += static_cast<char>('e' ^ mask[i % 4]);
  }
  return frame;
}

Websockets::Websockets(net::EventLoop& loop, Target target)
    : loop_(loop), target_(std::move(target)) {}

std::vector<net::Stream*> Websockets::Some(size_t count) const {
  std::vector<net::Stream*> some;
  for (size_t i = 0; i < count && i < streams_.size(); ++i) {
    some.push_back(streams_[i].get());
  }
  return some;
}

void Websockets::Open(int count) {
  missing_ += count;
  for (int i = 0; i < kAtOnce; ++i) loop_.Spawn(OpenEach());
}

net::Task<void> Websockets::OpenEach() {
  const std::string request = WebsocketRequestFor(target_);
  const std::string frame = MaskedFrame();
  while (missing_ > 0) {
    --missing_;
    std::unique_ptr<net::TlsStream> stream = co_await ConnectTo(loop_, target_);
    if (stream == nullptr) GiveUp("no connection to " + target_.host);
    Answer answer = co_await Ask(*stream, request);
    if (answer.status != 101) {
      GiveUp(absl::StrCat("answered ", answer.status, ": expected 101\n",
                          answer.head));
    }
    net::IoResult put = co_await stream->Write(frame);
    bool echoed = put.error == 0;
    if (echoed) echoed = co_await ReadBytes(*stream, 2 + kFrameBytes);
    if (!echoed) GiveUp("a websocket broke");
    stream->NeverExpire();
    streams_.push_back(std::move(stream));
    ++open_;
  }
}

}  // namespace carme::bench
