// Redeems tickets at the backend, which all proxies share.
#ifndef CARME_PROXY_CONTROL_BACKEND_TICKET_REDEEMER_H_
#define CARME_PROXY_CONTROL_BACKEND_TICKET_REDEEMER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proxy/access/ticket_redeemer.h"
#include "proxy/control/backend_call_channel.h"

namespace carme::proxy {

class BackendTicketRedeemer : public TicketRedeemer {
 public:
  // `connection` must outlive the object.
  explicit BackendTicketRedeemer(const BackendCallChannel* connection)
      : connection_(*connection) {}
  // Cancels the running calls and waits for their `done`.
  ~BackendTicketRedeemer() override;

  // OK also from an older backend, which cannot redeem tickets: they work once
  // at each proxy then.
  void Redeem(std::string signed_ticket, OnResult done) override;

 private:
  struct Call;
  void End(const Call& call, const absl::Status& status);

  const BackendCallChannel& connection_;
  absl::Mutex mutex_;
  std::map<const Call*, std::shared_ptr<Call>> running_ ABSL_GUARDED_BY(mutex_);
  bool older_backend_logged_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_BACKEND_TICKET_REDEEMER_H_
