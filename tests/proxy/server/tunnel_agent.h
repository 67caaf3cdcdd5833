// A fake agent with one reverse tunnel that responds to each stream with a
// word, for behaviour that the real agent never shows.
#ifndef CARME_TESTS_PROXY_SERVER_TUNNEL_AGENT_H_
#define CARME_TESTS_PROXY_SERVER_TUNNEL_AGENT_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "common/net/tls/tls_context.h"
#include "tests/common/net/test_ca.h"

namespace carme::testing {

class TunnelAgent {
 public:
  // `word` is the body of each response and the first message of a websocket.
  TunnelAgent(const JobId& job, const TestCa& job_ca, const TestCa& site_ca,
              int proxy_port, std::string word);
  ~TunnelAgent();

  // Like a node without network: neither receives nor sends. The tunnel must be
  // open.
  void Vanish();
  bool linked() const { return linked_; }
  bool asked_to_leave() const { return asked_to_leave_; }
  bool ended() const { return ended_; }

 private:
  net::Task<void> Run(JobId job, int proxy_port);
  net::Task<void> Serve(std::unique_ptr<net::Stream> stream);

  const std::string word_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::atomic<int> fd_ = -1;
  std::atomic<bool> linked_ = false;
  std::atomic<bool> asked_to_leave_ = false;
  std::atomic<bool> ended_ = false;
  std::unique_ptr<net::EventLoop> loop_;
  std::thread thread_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_SERVER_TUNNEL_AGENT_H_
