// One event loop of the proxy and what its connections share.
#ifndef CARME_PROXY_WORKER_H_
#define CARME_PROXY_WORKER_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "common/clock.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/tls_context.h"
#include "common/unique_fd.h"
#include "proxy/admission.h"
#include "proxy/http_head.h"
#include "proxy/job_cookie.h"
#include "proxy/proxy_config.h"
#include "proxy/route_table.h"
#include "proxy/site.h"
#include "proxy/ticket_office.h"
#include "proxy/upstream.h"

namespace carme::proxy {

class ClientConnection;

// What all workers share. Thread-safe, and outlives them.
struct Services {
  Services(const ProxyLimits& the_limits, Site the_site,
           net::Address the_frontend, const Clock& the_clock)
      : limits(the_limits),
        site(std::move(the_site)),
        frontend(the_frontend),
        clock(the_clock),
        tickets(the_clock.Now()),
        admission(the_limits.most_connections,
                  the_limits.most_connections_per_address) {}

  const ProxyLimits limits;
  const Site site;
  const net::Address frontend;
  const Clock& clock;
  TicketOffice tickets;
  Admission admission;
};

// Thread rule: the loop's thread, except where noted.
class Worker {
 public:
  Worker(Services& services, std::unique_ptr<net::EventLoop> loop,
         const std::string& cookie_key,
         std::shared_ptr<const net::TlsContext> tls);
  ~Worker();

  // Accepts on `fd`, which it shares with the other workers. Before Run.
  absl::Status Listen(int fd);
  // Serves until StopAccepting and then the loop's Stop.
  void Run();

  // These four: any thread.
  void Apply(std::shared_ptr<const RouteUpdate> update);
  void UseCertificate(std::shared_ptr<const net::TlsContext> tls);
  // No new connection; idle ones close now, others after their answer.
  void StopAccepting();
  void CloseWebsockets();
  void Stop() { loop_->Stop(); }

  // For ClientConnection and Exchange.
  Services& services() { return services_; }
  net::EventLoop& loop() { return *loop_; }
  const RouteTable& routes() const { return routes_; }
  UpstreamPool& pool() { return pool_; }
  JobCookieSeal& seal() { return seal_; }
  const HeadLimits& head_limits() const { return head_limits_; }
  bool draining() const { return draining_; }
  // Used by whoever runs, until it suspends.
  RequestHead& request() { return request_; }
  ResponseHead& response() { return response_; }
  std::string& out() { return out_; }

 private:
  friend class ClientConnection;
  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> Serve(UniqueFd fd, std::string place, std::string ip);
  void Use(const Trust& trust);

  Services& services_;
  std::unique_ptr<net::EventLoop> loop_;
  const HeadLimits head_limits_;
  std::shared_ptr<const net::TlsContext> tls_;
  RouteTable routes_;
  UpstreamPool pool_;
  JobCookieSeal seal_;
  std::unique_ptr<net::Listener> listener_;
  absl::flat_hash_set<ClientConnection*> connections_;
  bool draining_ = false;
  RequestHead request_;
  ResponseHead response_;
  std::string out_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_WORKER_H_
