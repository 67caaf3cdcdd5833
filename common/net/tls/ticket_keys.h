// The keys under which a server seals the sessions that it hands to its
// clients (RFC 5077, RFC 8446 section 4.6.1), so that a later handshake with
// whoever has the same keys is a short one.
//
// 1. A key seals for kLife and opens for as long again.
// 2. Keys of TLS 1.3 are kept in a file and outlive the process: a resumed
//    handshake agrees on fresh keys, so who steals the file reads no recorded
//    traffic. He could pose as the server to who has a ticket, as he could with
//    the certificate's key.
// 3. Keys of TLS 1.2, under whose tickets lie the very keys of the traffic, are
//    in memory only.
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
  std::string name;    // goes with the ticket
  std::string cipher;  // AES-256
  std::string mac;     // HMAC-SHA-256
  absl::Time made;
};
using TicketKeyPtr = std::shared_ptr<const TicketKey>;

class TicketKeys {
 public:
  static constexpr absl::Duration kLife = absl::Hours(4);

  // From `path`, made (0600) when there is none; a file that makes no sense is
  // replaced. Empty: nothing is kept. The file's errors.
  static absl::StatusOr<std::shared_ptr<TicketKeys>> Open(
      const std::string& path, absl::Time now);

  // Makes new keys when it is time, forgets old ones, and takes what another
  // process has put into the file. Call it every few seconds or minutes. An
  // error leaves the keys as they were.
  absl::Status Refresh(absl::Time now);

  // The one to seal with.
  TicketKeyPtr Newest(bool tls13) const;
  // Null: unknown, or too old.
  TicketKeyPtr Find(bool tls13, std::string_view name) const;

 private:
  using List = std::vector<TicketKeyPtr>;  // the newest first

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
