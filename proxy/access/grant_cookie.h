// The cookie of a job's host: a grant, sealed.
//
// AES-256-GCM under a key that only the proxy has; the host's first label is
// associated data, so that a cookie of one host opens on no other. Nothing is
// kept here: a restart of the proxy with the same key takes no cookie away.
//
// Thread rule: one object a thread (it keeps a cipher context).
#ifndef CARME_PROXY_ACCESS_GRANT_COOKIE_H_
#define CARME_PROXY_ACCESS_GRANT_COOKIE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct evp_cipher_ctx_st;
struct evp_cipher_st;

namespace carme::proxy {

class GrantCookieSealer {
 public:
  static constexpr size_t kKeyBytes = 32;

  // REQUIRES: `key` has kKeyBytes.
  explicit GrantCookieSealer(std::string key);
  ~GrantCookieSealer();
  GrantCookieSealer(const GrantCookieSealer&) = delete;
  GrantCookieSealer& operator=(const GrantCookieSealer&) = delete;

  // The cookie's value.
  std::string Seal(std::string_view host_label, std::string_view signed_grant);
  // The signed grant. UNAUTHENTICATED: not a value that Seal gave for this
  // host under this key.
  absl::StatusOr<std::string> Open(std::string_view host_label,
                                   std::string_view value);

 private:
  std::string key_;
  evp_cipher_st* algorithm_;
  evp_cipher_ctx_st* cipher_;
};

// The key from `directory`/cookie.key, made (0600) when there is none.
absl::StatusOr<std::string> LoadOrCreateCookieKey(const std::string& directory);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_GRANT_COOKIE_H_
