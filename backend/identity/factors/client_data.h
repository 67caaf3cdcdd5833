// The client data of a WebAuthn ceremony (CollectedClientData, W3C Web
// Authentication Level 2, section 5.8.1).
#ifndef CARME_BACKEND_IDENTITY_FACTORS_CLIENT_DATA_H_
#define CARME_BACKEND_IDENTITY_FACTORS_CLIENT_DATA_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace carme::backend {

inline constexpr size_t kMaxClientDataBytes = 4096;

// The expected values; each must match exactly.
struct ExpectedClientData {
  std::string_view type;       // "webauthn.create" or "webauthn.get"
  std::string_view challenge;  // the bytes
  std::string_view origin;     // https://host[:port]
};

// UNAUTHENTICATED: not a JSON object within the limits, or a value differs; the
// message names the cause.
absl::Status CheckClientData(std::string_view json,
                             const ExpectedClientData& expected);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_CLIENT_DATA_H_
