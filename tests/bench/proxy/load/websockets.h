// Many websockets through one subject.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_WEBSOCKETS_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_WEBSOCKETS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/net/event_loop.h"
#include "tests/bench/proxy/load/client.h"

namespace carme::bench {

// Thread rule: made and destroyed on the loop's thread, as Open; the others:
// any.
class Websockets {
 public:
  Websockets(net::EventLoop& loop, Target target);

  // So many more. Each echoes one message and is then at rest.
  void Open(int count);
  int open() const { return open_; }
  // The first `count`. When all are open.
  std::vector<net::Stream*> Some(size_t count) const;

 private:
  net::Task<void> OpenEach();

  net::EventLoop& loop_;
  const Target target_;
  int missing_ = 0;
  std::vector<std::unique_ptr<net::TlsStream>> streams_;
  std::atomic<int> open_ = 0;
};

// A message of kFrameBytes as a browser sends it.
std::string MaskedFrame();

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_WEBSOCKETS_H_
