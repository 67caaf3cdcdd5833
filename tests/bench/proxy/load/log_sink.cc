#include <utility>

#include "common/listen.h"
#include "tests/bench/proxy/load/bench_app.h"

namespace carme::bench {

LogSink::LogSink(net::EventLoop& loop) : loop_(loop) {
  listening_ = *ListenTcp("127.0.0.1:0");
  port_ = *PortOf(listening_.get());
  listener_ = *net::Listener::Create(loop_, listening_.get(),
                                     [this](UniqueFd fd, const net::Address&) {
                                       loop_.Spawn(Serve(std::move(fd)));
                                     });
}

net::Task<void> LogSink::Serve(UniqueFd fd) {
  auto stream = net::NewSocketStream(loop_, std::move(fd));
  if (!stream.ok()) co_return;
  for (;;) {
    net::IoResult got = co_await (*stream)->Read(loop_.scratch(),
                                                 net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
  }
}

}  // namespace carme::bench
