// Gives mails to the site's mail server (RFC 5321), over TLS.
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
  std::string server;  // smtp://host[:port], smtps://…; empty: no mails
  std::string ca_file;
  bool plain = false;  // no TLS, to this host itself
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
  // `stopping` outlives this.
  SmtpSender(MailConfig config, std::string password,
             const std::atomic<bool>* stopping)
      : config_(std::move(config)),
        password_(std::move(password)),
        stopping_(stopping) {}

  // OK: the server has taken it. INVALID_ARGUMENT: it does not take mails to
  // this address; UNAVAILABLE: try again; CANCELLED: the program stops. Blocks
  // for a minute at most.
  absl::Status Send(const std::string& to, const std::string& text) const;

  // Whether the mail server answers, as its newest use showed.
  Availability::State availability() const { return availability_.state(); }
  // Where it was not used within the last five minutes: connects, logs in, and
  // sends nothing. Blocks for ten seconds at most.
  void ProbeIdle() const;

 private:
  // Server, TLS and log-in, which every transfer has.
  void SetUp(Transfer* transfer) const;

  const MailConfig config_;
  const std::string password_;
  const std::atomic<bool>* const stopping_;
  mutable Availability availability_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_SMTP_SENDER_H_
