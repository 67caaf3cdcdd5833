// Signs grants for a job's app, and the one-time tickets with which a browser
// brings them to the proxy.
#ifndef CARME_BACKEND_JOBS_AGENTS_TICKET_SIGNER_H_
#define CARME_BACKEND_JOBS_AGENTS_TICKET_SIGNER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/signature.h"
#include "common/ids.h"

namespace carme::backend {

inline constexpr absl::Duration kTicketLife = absl::Seconds(30);

// The permission of a session to use an app of a job.
struct GrantedUse {
  JobId job;
  std::string app;
  std::string host_label;   // of the app's host name
  bool whole_path = false;  // NamesBase()
  SessionId session;
  std::string user;
  absl::Time expires_at;
};

// Thread-safe after Open.
class TicketSigner {
 public:
  // Reads the Ed25519 seed in `path` (base64url, mode 0600); creates it if it
  // does not exist. PERMISSION_DENIED: others may read it; INVALID_ARGUMENT: it
  // is invalid. Deleting it creates a new key, and open apps must be opened
  // again.
  static absl::StatusOr<TicketSigner> Open(const std::string& path);

  std::string PublicKey() const { return key_.PublicKey(); }  // 32 raw bytes
  // The key with which all proxies seal cookies, 32 raw bytes. Derived: it
  // changes with the seed only.
  std::string CookieKey() const;
  // Also signs assertions (backend/clusters), with a domain of their own.
  const SigningKey& key() const { return key_; }

  // base64url of a signed Ticket, valid from `now` for kTicketLife.
  std::string MakeTicket(const GrantedUse& use, absl::Time now) const;

 private:
  explicit TicketSigner(SigningKey key) : key_(std::move(key)) {}
  SigningKey key_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_TICKET_SIGNER_H_
