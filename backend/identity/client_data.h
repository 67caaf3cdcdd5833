// The browser's own account of a WebAuthn ceremony (CollectedClientData, W3C
// Web Authentication Level 2, section 5.8.1).
#ifndef CARME_BACKEND_IDENTITY_CLIENT_DATA_H_
#define CARME_BACKEND_IDENTITY_CLIENT_DATA_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace carme::backend {

inline constexpr size_t kMostClientDataBytes = 4096;

// What it must say, each exactly.
struct ClientDataTerms {
  std::string_view type;       // "webauthn.create" or "webauthn.get"
  std::string_view challenge;  // the bytes that were asked for
  std::string_view origin;     // https://host[:port]
};

// UNAUTHENTICATED: it is no JSON object within bounds, or says another thing;
// the message says which.
absl::Status CheckClientData(std::string_view json,
                             const ClientDataTerms& terms);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_CLIENT_DATA_H_
