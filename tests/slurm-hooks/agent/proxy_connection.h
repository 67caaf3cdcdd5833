// The proxy's side of one connection to the agent, blocking, with deadlines.
#ifndef CARME_TESTS_SLURM_HOOKS_AGENT_PROXY_CONNECTION_H_
#define CARME_TESTS_SLURM_HOOKS_AGENT_PROXY_CONNECTION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/wait_for.h"

struct ssl_ctx_st;
struct ssl_st;

namespace carme::agent {

class ProxyConnection {
 public:
  // Connects to 127.0.0.1; no certificate is shown without an identity.
  ProxyConnection(int port, const testing::TestIdentity& identity,
                  int tls_version = 0);
  explicit ProxyConnection(int port) : ProxyConnection(port, {}) {}

  // Writing to a connection that was closed is no failure of the test.
  void Write(std::string_view bytes);
  // Ends writing; reading continues.
  void Finish();
  // Until `size` bytes came, the end, or the deadline.
  std::string Read(size_t size, absl::Duration timeout = testing::kWaitTimeout);
  // Whether the agent closes within `timeout`; destroys what it reads.
  bool IsClosed(absl::Duration timeout = testing::kWaitTimeout);
  // The DNS name in the agent's certificate; empty without a handshake.
  std::string AgentName() const;

 private:
  std::shared_ptr<ssl_ctx_st> context_;
  UniqueFd fd_;
  std::shared_ptr<ssl_st> ssl_;
  bool ended_ = false;
};

}  // namespace carme::agent

#endif  // CARME_TESTS_SLURM_HOOKS_AGENT_PROXY_CONNECTION_H_
