// What becomes of a request: the part of a connection that never waits.
#ifndef CARME_PROXY_DECIDE_H_
#define CARME_PROXY_DECIDE_H_

#include <string>

#include "proxy/access.h"
#include "proxy/exchange.h"
#include "proxy/http_head.h"
#include "proxy/own_answer.h"
#include "proxy/situation.h"
#include "proxy/worker.h"

namespace carme::proxy {

// One a connection, for all its requests. Thread rule: its worker's loop.
class Decider {
 public:
  Decider(Worker& worker, std::string client_address);
  ~Decider();
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  // From the handshake; may be empty.
  void set_server_name(std::string name) { server_name_ = std::move(name); }
  // Of the connection's other side, which may be a load balancer.
  const std::string& client_address() const { return client_address_; }
  // What the client speaks, for the log: "1.1" unless it is set.
  void set_protocol(std::string_view protocol) { protocol_ = protocol; }

  // Puts an answer of our own into worker.out(), which is empty, or a request
  // to be run into `exchange`, whose head is empty else. `closing`: an answer
  // of our own is the connection's last.
  void Decide(const RequestHead& head, const std::string& request_id,
              bool closing, ExchangeRequest* exchange);

 private:
  void DecidePortal(const RequestHead& head, ExchangeRequest* exchange);
  void DecideJob(const RequestHead& head, const JobHost& host,
                 ExchangeRequest* exchange);
  void OpenByTicket(const RequestHead& head, const JobHost& host,
                    std::string_view ticket);
  // How the app is, for whoever may use it.
  void TellState(const RequestHead& head, const JobHost& host);
  void Notify(const RequestHead& head, Notice notice) {
    Notify(head, Situation{notice});
  }
  void Notify(const RequestHead& head, const Situation& situation);
  // Into host_ and origin_. kUnknown: another host than the connection's, too.
  HostKind FindHost(const RequestHead& head);
  // Null: `denied_` says why.
  AccessPtr Authorize(const RequestHead& head, const JobHost& host);
  // What the limits and load balancers have to say; false: it is answered.
  bool Admit(const RequestHead& head);
  bool AdmitLogin(const RequestHead& head);
  // What the portal's limits count the client by. Empty: a load balancer, which
  // stands for clients that it does not name.
  const std::string& PortalPlace();
  // Counts this connection among those of the session; false: there are too
  // many.
  bool TakeSeat(const Access& access);
  void LogRequest(const RequestHead& head, const char* outcome) const;

  Worker& worker_;
  const std::string client_address_;
  const bool behind_balancer_;  // whose Forwarded is believed
  std::string_view protocol_ = "1.1";
  std::string server_name_;
  std::string seat_;  // the session this connection counts for
  // Of the request that is judged.
  std::string client_;  // its address
  // The place of `placed_`, which was client_ when PortalPlace() was last asked.
  std::string placed_, place_;
  std::string request_id_;
  RequestRecord* record_ = nullptr;
  bool closing_ = false;
  Notice denied_ = Notice::kOpenFromPortal;
  // The Host field that was judged last, because it will come again; empty: it
  // must be judged again. What it means, and the origin of kJob.
  std::string host_said_;
  HostMeaning host_;
  std::string origin_;
  // The cookie that was opened last, because it will come again.
  std::string known_cookie_;
  AccessPtr known_access_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DECIDE_H_
