// Time-based one-time passwords (RFC 6238): SHA-1, 6 digits, 30 s, which every
// authenticator app supports.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_TOTP_H_
#define CARME_BACKEND_IDENTITY_FACTORS_TOTP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::backend {

// 160 random bits, the length of the hash (RFC 4226, section 4, R6).
std::string NewTotpSecret();

// The time step of the code: the current, previous or next one, and newer than
// `last_step`. nullopt: wrong or used. Compares in constant time.
std::optional<int64_t> MatchTotp(std::string_view secret, std::string_view code,
                                 absl::Time now, int64_t last_step);

// The URI in the QR code.
std::string OtpauthUri(std::string_view secret, std::string_view issuer,
                       std::string_view username);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_TOTP_H_
