// Sends e-mail to the site's mail server (RFC 5321) over TLS.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_SMTP_SENDER_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_SMTP_SENDER_H_

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/availability.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key of [mail].
struct MailConfig {
  std::string server;  // smtp://host[:port], smtps://…; empty: no e-mail
  std::string ca_file;
  bool plain = false;  // no TLS; only on this host
  std::string user;    // empty: no authentication
  std::string password_file;
  std::string from;
  int per_hour = 20;  // of each user; 1 to 1000

  bool offered() const { return !server.empty(); }
};

class Transfer;

// Thread-safe.
class SmtpSender {
 public:
  // `stopping` must outlive the object.
  SmtpSender(MailConfig config, std::string password,
             const std::atomic<bool>* stopping)
      : config_(std::move(config)),
        password_(std::move(password)),
        stopping_(stopping) {}

  // OK: accepted by the server. INVALID_ARGUMENT: the server rejects the
  // address; UNAVAILABLE: retry; CANCELLED: the program stops. Blocks for at
  // most a minute.
  absl::Status Send(const std::string& to, const std::string& text) const;

  // Availability of the mail server at its latest use.
  Availability::State availability() const { return availability_.state(); }
  // If the server was not used for five minutes: connects and logs in without
  // sending. Blocks for at most ten seconds.
  void ProbeIdle() const;

 private:
  // Sets server, TLS and credentials.
  void SetUp(Transfer* transfer) const;

  const MailConfig config_;
  const std::string password_;
  const std::atomic<bool>* const stopping_;
  mutable Availability availability_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_SMTP_SENDER_H_
