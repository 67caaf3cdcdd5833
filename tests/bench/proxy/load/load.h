// Load on a subject: coroutines on the loop that ask until they are stopped.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_LOAD_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_LOAD_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/net/event_loop.h"
#include "tests/bench/proxy/load/client.h"

namespace carme::bench {

class PoissonArrivals;

// Thread safety: created, started and destroyed on the loop's thread; Stop and
// the accessors: any.
class Load {
 public:
  Load(net::EventLoop& loop, Target target);
  ~Load();

  // `connections` of them ask for `path`, each again as soon as it is
  // answered.
  void KeepAsking(int connections, const std::string& path);
  // A new connection for each request.
  void Reconnect(int connections, const std::string& path);
  // Requests at random times (a Poisson process), `rate` a second on average,
  // over `connections`. What has to wait for a free connection has waited.
  void AskAtRate(int connections, const std::string& path, double rate);
  // Each of these websockets sends a message as soon as the last one is back.
  // They must outlive this.
  void Echo(const std::vector<net::Stream*>& websockets);

  void Stop() { stopping_ = true; }
  bool ended() const { return running_ == 0; }
  int64_t done() const { return done_; }
  // What ends from now on is measured.
  void Record() { recording_ = true; }
  // Microseconds each. When it has ended.
  const std::vector<float>& times() const { return times_; }

 private:
  net::Task<void> AskAgain(std::string request);
  net::Task<void> ConnectAgain(std::string request);
  net::Task<void> AskWhenDue(std::string request);
  net::Task<void> EchoAgain(net::Stream& websocket);
  void Done(int64_t since_ns);

  net::EventLoop& loop_;
  const Target target_;
  std::unique_ptr<PoissonArrivals> arrivals_;
  std::atomic<int> running_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> recording_ = false;
  std::atomic<int64_t> done_ = 0;
  std::vector<float> times_;  // the loop's thread
};

// Of a monotonic clock.
int64_t NowNs();

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_LOAD_H_
