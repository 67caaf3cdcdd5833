// The cookie of a job's host: a sealed grant.
//
// AES-256-GCM with a key that only the proxies have. The host's first label is
// associated data, so the cookie of one host is invalid on another. The proxies
// store no cookies: they stay valid across a restart with the same key.
//
// Not thread-safe (it holds a cipher context): use one object per thread.
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

  // `key` must have kKeyBytes.
  explicit GrantCookieSealer(std::string key);
  ~GrantCookieSealer();
  GrantCookieSealer(const GrantCookieSealer&) = delete;
  GrantCookieSealer& operator=(const GrantCookieSealer&) = delete;

  // Returns the cookie's value.
  std::string Seal(std::string_view host_label, std::string_view signed_grant);
  // Returns the signed grant. UNAUTHENTICATED: the value was not sealed for
  // this host with this key.
  absl::StatusOr<std::string> Open(std::string_view host_label,
                                   std::string_view value);

 private:
  std::string key_;
  evp_cipher_st* algorithm_;
  evp_cipher_ctx_st* cipher_;
};

// The key in `directory`/cookie.key; creates it (0600) if it does not exist.
absl::StatusOr<std::string> LoadOrCreateCookieKey(const std::string& directory);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ACCESS_GRANT_COOKIE_H_
