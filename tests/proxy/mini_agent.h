// The proxy's side of an agent: mutual TLS, the grant, then bytes to an app.
// The checks are those the contract asks of the real one.
#ifndef CARME_TESTS_PROXY_MINI_AGENT_H_
#define CARME_TESTS_PROXY_MINI_AGENT_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/container/flat_hash_set.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/tls_context.h"
#include "common/signature.h"
#include "common/unique_fd.h"
#include "tests/net/test_ca.h"

namespace carme::testing {

class MiniAgent {
 public:
  // `job_ca` issues its certificate, `site_ca` the proxy's.
  MiniAgent(const JobId& job, const TestCa& job_ca, const TestCa& site_ca,
            const std::string& ticket_public_key, int app_port);
  ~MiniAgent();
  // From the next connection on it shows a certificate of this authority's.
  void MoveTo(const TestCa& job_ca);
  // Connections that come from now on lead there.
  void LeadTo(int app_port);
  // As a node that is switched off: its connections end without a farewell, and
  // nobody answers there any more.
  void Die();
  // As a node that is cut off: the connections that it has hear nothing any
  // more and say nothing. New ones are served.
  void Vanish();
  int port() const { return port_; }
  int connections() const { return connections_; }
  int refused() const { return refused_; }
  // Closes the next connections before a handshake, or after the grant.
  void RefuseNext(int count) { refusing_ = count; }
  void HangUpNext(int count) { hanging_up_ = count; }
  // At once, between their first byte and the grant.
  int most_opening() const { return most_opening_; }

 private:
  std::shared_ptr<const net::TlsContext> ContextOf(const TestCa& job_ca) const;
  net::Task<void> Serve(UniqueFd fd);
  net::Task<bool> CheckGrant(net::Stream& stream);

  const JobId job_;
  const VerifyingKey key_;
  std::atomic<int> app_port_;
  const std::string site_ca_pem_;
  std::shared_ptr<const net::TlsContext> tls_;  // the loop's thread
  UniqueFd listening_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> refused_ = 0;
  std::atomic<int> refusing_ = 0;
  std::atomic<int> hanging_up_ = 0;
  int opening_ = 0;                  // the loop's thread
  absl::flat_hash_set<int> served_;  // descriptors; the loop's thread
  std::atomic<int> most_opening_ = 0;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::Listener> listener_;
  std::thread thread_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_MINI_AGENT_H_
