#include "tests/bench/proxy/load/load.h"

#include <time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/bench/proxy/load/bench_app.h"
#include "tests/bench/proxy/load/poisson_arrivals.h"
#include "tests/bench/proxy/load/report.h"
#include "tests/bench/proxy/load/websockets.h"

namespace carme::bench {
namespace {

void Check(const Answer& answer) {
  if (answer.status == 200) return;
  GiveUp(absl::StrCat("answered ", answer.status, ": expected 200\n",
                      answer.head));
}

}  // namespace

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

Load::Load(net::EventLoop& loop, Target target)
    : loop_(loop), target_(std::move(target)) {
  times_.reserve(1 << 20);
}

Load::~Load() = default;

void Load::Done(int64_t since_ns) {
  done_.fetch_add(1, std::memory_order_relaxed);
  if (recording_ && !stopping_) {
    times_.push_back(static_cast<float>(NowNs() - since_ns) / 1000);
  }
}

void Load::KeepAsking(int connections, const std::string& path) {
  running_ += connections;
  for (int i = 0; i < connections; ++i) {
    loop_.Spawn(AskAgain(RequestFor(target_, path)));
  }
}

net::Task<void> Load::AskAgain(std::string request) {
  std::unique_ptr<net::TlsStream> stream = co_await ConnectTo(loop_, target_);
  if (stream == nullptr) GiveUp("no connection to " + target_.host);
  while (!stopping_) {
    const int64_t start = NowNs();
    Answer answer = co_await Ask(*stream, request);
    Check(answer);
    Done(start);
  }
  --running_;
}

void Load::Reconnect(int connections, const std::string& path) {
  running_ += connections;
  for (int i = 0; i < connections; ++i) {
    loop_.Spawn(ConnectAgain(RequestFor(target_, path)));
  }
}

net::Task<void> Load::ConnectAgain(std::string request) {
  while (!stopping_) {
    const int64_t start = NowNs();
    Answer answer = co_await AskOnce(loop_, target_, request);
    Check(answer);
    Done(start);
  }
  --running_;
}

void Load::AskAtRate(int connections, const std::string& path, double rate) {
  running_ += connections;
  arrivals_ = std::make_unique<PoissonArrivals>(loop_, rate, stopping_);
  for (int i = 0; i < connections; ++i) {
    loop_.Spawn(AskWhenDue(RequestFor(target_, path)));
  }
}

net::Task<void> Load::AskWhenDue(std::string request) {
  std::unique_ptr<net::TlsStream> stream = co_await ConnectTo(loop_, target_);
  if (stream == nullptr) GiveUp("no connection to " + target_.host);
  for (;;) {
    const int64_t due = co_await arrivals_->Next();
    if (due == 0) break;
    Answer answer = co_await Ask(*stream, request);
    Check(answer);
    Done(due);
  }
  --running_;
}

void Load::Echo(const std::vector<net::Stream*>& websockets) {
  running_ += static_cast<int>(websockets.size());
  for (net::Stream* websocket : websockets) {
    loop_.Spawn(EchoAgain(*websocket));
  }
}

net::Task<void> Load::EchoAgain(net::Stream& websocket) {
  const std::string frame = MaskedFrame();
  while (!stopping_) {
    const int64_t start = NowNs();
    net::IoResult put = co_await websocket.Write(frame);
    bool echoed = put.error == 0;
    if (echoed) echoed = co_await ReadBytes(websocket, 2 + kFrameBytes);
    if (!echoed) GiveUp("a websocket broke");
    Done(start);
  }
  --running_;
}

}  // namespace carme::bench
