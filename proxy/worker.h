// One event loop of the proxy and what its connections share.
#ifndef CARME_PROXY_WORKER_H_
#define CARME_PROXY_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "common/clock.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/networks.h"
#include "common/net/socket.h"
#include "common/net/tls_context.h"
#include "common/unique_fd.h"
#include "proxy/access_log.h"
#include "proxy/activity_meter.h"
#include "proxy/admission.h"
#include "proxy/agent_links.h"
#include "proxy/counters.h"
#include "proxy/http_head.h"
#include "proxy/job_cookie.h"
#include "proxy/memory_gate.h"
#include "proxy/one_answer.h"
#include "proxy/pace.h"
#include "proxy/portal_gate.h"
#include "proxy/proxy_config.h"
#include "proxy/request_record.h"
#include "proxy/route_table.h"
#include "proxy/site.h"
#include "proxy/situation.h"
#include "proxy/standing_table.h"
#include "proxy/ticket_office.h"
#include "proxy/upstream.h"

namespace carme::proxy {

class ClientConnection;

// What all workers share. Thread-safe, and outlives them.
struct Services {
  Services(const ProxyConfig& config, Site the_site, net::Address the_frontend,
           net::Networks balancers, std::unique_ptr<BurnedTickets> burned,
           const Clock& the_clock)
      : limits(config.limits),
        load_balancers(config.load_balancers),
        balancer_networks(std::move(balancers)),
        login_paths(config.login_paths),
        hsts(config.hsts_max_age_s > 0
                 ? "max-age=" + std::to_string(config.hsts_max_age_s)
                 : ""),
        site(std::move(the_site)),
        frontend(the_frontend),
        clock(the_clock),
        tickets(std::move(burned)),
        admission(limits.most_connections, limits.most_connections_per_address),
        sessions(INT32_MAX, limits.most_connections_per_session),
        agents(limits),
        portal(limits),
        logins(limits.logins_per_s, limits.login_burst),
        memory(limits.most_memory_mib) {}

  const ProxyLimits limits;
  const LoadBalancers load_balancers;
  const net::Networks balancer_networks;
  const std::vector<std::string> login_paths;
  const std::string hsts;
  const Site site;
  const net::Address frontend;
  const Clock& clock;
  TicketOffice tickets;
  Admission admission;
  Admission sessions;  // places are sessions
  AgentGate agents;
  PortalGate portal;
  ActivityBook activity;
  Pace logins;
  MemoryGate memory;
};

// Thread rule: the loop's thread, except where noted.
class Worker {
 public:
  Worker(Services& services, std::unique_ptr<net::EventLoop> loop,
         const std::string& cookie_key,
         std::shared_ptr<const net::TlsContext> tls,
         const AccessLogFile* access_log);
  ~Worker();

  // Accepts on `fd`, which it shares with the other workers. Before Run.
  absl::Status Listen(int fd);
  // Answers what comes on `fd` with no TLS, each connection once. `answer` is
  // called on the loop. Who comes there is a client, and the limits and load
  // balancers of clients are meant, or somebody of the house. Before Run.
  enum class Guest { kClient, kHouse };
  absl::Status ListenPlain(int fd, Guest guest, OneAnswer answer);
  // Agents that dial: as Listen, on a socket of their own.
  AgentLinks& agent_links() { return agent_links_; }
  // Serves until StopAccepting and then the loop's Stop.
  void Run();

  // These six: any thread.
  void Apply(std::shared_ptr<const RouteUpdate> update);
  void UseCertificate(std::shared_ptr<const net::TlsContext> tls);
  // No new connection; idle ones close now, others after their answer.
  void StopAccepting();
  void CloseWebsockets();
  // Closes what is not admitted any more, by the clock as it is now.
  void Recheck();
  // Until what was posted before has run. REQUIRES: Run runs.
  void WaitForPosted();
  void Stop() { loop_->Stop(); }

  // For ClientConnection and Exchange.
  Services& services() { return services_; }
  net::EventLoop& loop() { return *loop_; }
  const RouteTable& routes() const { return routes_; }
  const StandingTable& standings() const { return standings_; }
  // Of an app, as far as it is known without asking it.
  Situation SituationOf(const JobId& job, std::string_view app) const;
  UpstreamPool& pool() { return pool_; }
  JobCookieSeal& seal() { return seal_; }
  const HeadLimits& head_limits() const { return head_limits_; }
  Counters& counters() { return counters_; }
  RequestLog& request_log() { return request_log_; }
  ActivityMeter& activity() { return activity_; }
  // The value of Strict-Transport-Security; empty: it is not sent.
  std::string_view hsts() const { return services_.hsts; }
  bool draining() const { return draining_; }
  // Used by whoever runs, until it suspends.
  RequestHead& request() { return request_; }
  ResponseHead& response() { return response_; }
  std::string& out() { return out_; }

 private:
  friend class ClientConnection;
  // What is served without TLS, and how.
  struct Plain {
    OneAnswer answer;
    Guest guest;
    int running = 0;
    std::unique_ptr<net::Listener> listener;
  };

  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> Serve(UniqueFd fd, std::string place, net::Address peer);
  // A load balancer's connection: who it is for. False: it is to be closed.
  net::Task<bool> MeetClient(UniqueFd* fd, std::string* place,
                             net::Address* peer);
  void AcceptPlain(Plain* plain, UniqueFd fd, const net::Address& peer);
  net::Task<void> ServePlain(Plain* plain, UniqueFd fd, std::string place,
                             net::Address peer);
  void Use(const Trust& trust);

  Services& services_;
  std::unique_ptr<net::EventLoop> loop_;
  const HeadLimits head_limits_;
  Counters counters_;
  AccessLog access_log_;
  AccessLogPace log_pace_;
  RequestLog request_log_;
  ActivityMeter activity_;
  std::shared_ptr<const net::TlsContext> tls_;
  RouteTable routes_;
  StandingTable standings_;
  AgentLinks agent_links_;
  UpstreamPool pool_;
  JobCookieSeal seal_;
  std::unique_ptr<net::Listener> listener_;
  std::vector<std::unique_ptr<Plain>> plain_;
  absl::flat_hash_set<ClientConnection*> connections_;
  bool draining_ = false;
  RequestHead request_;
  ResponseHead response_;
  std::string out_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_WORKER_H_
