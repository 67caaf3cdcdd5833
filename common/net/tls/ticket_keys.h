// The keys with which a server encrypts session tickets (RFC 5077, RFC 8446
// section 4.6.1). Servers with the same keys can resume each other's sessions.
//
// 1. A key encrypts for kLife and decrypts for twice that time.
// 2. Keys for TLS 1.3 are stored in a file and survive the process. A resumed
//    handshake negotiates new keys, so the file does not decrypt recorded
//    traffic. It allows to impersonate the server to clients with a ticket, as
//    the certificate's key does.
// 3. Keys for TLS 1.2, whose tickets contain the keys of the traffic, are in
//    memory only.
//
// Thread-safe.
#ifndef CARME_COMMON_NET_TLS_TICKET_KEYS_H_
#define CARME_COMMON_NET_TLS_TICKET_KEYS_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/pki/file_watch.h"

namespace carme::net {

struct TicketKey {
  static constexpr size_t kNameBytes = 16;
  static constexpr size_t kSecretBytes = 32;
  std::string name;    // sent with the ticket
  std::string cipher;  // AES-256
  std::string mac;     // HMAC-SHA-256
  absl::Time made;
};
using TicketKeyPtr = std::shared_ptr<const TicketKey>;

class TicketKeys {
 public:
  static constexpr absl::Duration kLife = absl::Hours(4);

  // Loads the keys from `path`, which is created (0600) if it does not exist; a
  // malformed file is replaced. Empty: keys are in memory only. Returns errors
  // of the file.
  static absl::StatusOr<std::shared_ptr<TicketKeys>> Open(
      const std::string& path, absl::Time now);

  // Creates new keys when they are due, deletes old ones, and loads keys that
  // another process has written. Call it every few seconds or minutes. After an
  // error the keys are unchanged.
  absl::Status Refresh(absl::Time now);

  // The key for new tickets.
  TicketKeyPtr Newest(bool tls13) const;
  // Null: unknown or expired.
  TicketKeyPtr Find(bool tls13, std::string_view name) const;

 private:
  using List = std::vector<TicketKeyPtr>;  // newest first

  explicit TicketKeys(const std::string& path) : path_(path), watch_({path}) {}
  absl::Status Renew(absl::Time now);
  absl::StatusOr<List> ReadList(absl::Time now) const;

  const std::string path_;
  FileWatch watch_;  // used by Refresh only
  mutable std::mutex mutex_;
  List kept_;      // TLS 1.3; these two guarded by mutex_
  List fleeting_;  // TLS 1.2
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_TICKET_KEYS_H_
