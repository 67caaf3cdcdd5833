// The agent's data path (DataPath of slurm-hooks/agent) on its own thread, in
// front of a test app. Opens a reverse tunnel, or listens.
#ifndef CARME_TESTS_PROXY_SERVER_REAL_AGENT_H_
#define CARME_TESTS_PROXY_SERVER_REAL_AGENT_H_

#include <memory>
#include <string>
#include <thread>

#include "common/clock.h"
#include "common/ids.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/data_path/data_path.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/temp_dir.h"

namespace carme::testing {

class RealAgent {
 public:
  struct Options {
    JobId job;
    const TestCa* job_ca;   // issuer of its certificate
    const TestCa* site_ca;  // issuer of the proxy's
    std::string ticket_public_key;
    int app_port = 0;
    std::string proxy{};  // "ip:port"; empty: it listens
    size_t max_open = 400;
    std::string certificate_of{};  // of another job; empty: its own
  };
  explicit RealAgent(const Options& options);
  // Ends at once, whatever it does.
  ~RealAgent();

  int port() const { return port_; }  // where it listens

 private:
  net::Task<void> Bridge(UniqueFd fd, int app_port);

  TempDir directory_;
  SystemClock clock_;
  UniqueFd listener_, app_listener_;
  int port_ = 0;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<agent::DataPath> path_;
  std::unique_ptr<net::Listener> app_;
  std::thread thread_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_SERVER_REAL_AGENT_H_
