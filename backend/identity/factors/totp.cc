#include "backend/identity/factors/totp.h"

#include <liboath/oath.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/random.h"

namespace carme::backend {
namespace {

constexpr int kSecretBytes = 20;
constexpr unsigned kDigits = 6;
constexpr int64_t kStep_s = 30;
constexpr int kStepsAround = 1;

void InitLibrary() {
  static const int result = oath_init();
  if (result != OATH_OK) std::abort();  // a libcrypt that does not work
}

std::string CodeAt(std::string_view secret, int64_t step) {
  char code[kDigits + 1] = {};
  if (oath_hotp_generate(secret.data(), secret.size(),
                         static_cast<uint64_t>(step), kDigits,
                         /*add_checksum=*/false, OATH_HOTP_DYNAMIC_TRUNCATION,
                         code) != OATH_OK) {
    return "";  // equal to no code of six digits
  }
  return code;
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '-' || c == '.' || c == '_') {
      encoded.push_back(c);
    } else {
      absl::StrAppend(&encoded, "%", absl::Hex(byte, absl::kZeroPad2));
    }
  }
  return encoded;
}

}  // namespace

std::string NewTotpSecret() { return RandomBytes(kSecretBytes); }

std::optional<int64_t> MatchTotp(std::string_view secret, std::string_view code,
                                 absl::Time now, int64_t last_step) {
  InitLibrary();
  const int64_t present = absl::ToUnixSeconds(now) / kStep_s;
  std::optional<int64_t> match;
  for (int64_t step = present - kStepsAround; step <= present + kStepsAround;
       ++step) {
    const bool equal = EqualInConstantTime(CodeAt(secret, step), code);
    if (equal && code.size() == kDigits && step > last_step) match = step;
  }
  return match;
}

std::string OtpauthUri(std::string_view secret, std::string_view issuer,
                       std::string_view username) {
  const std::string name = PercentEncode(issuer);
  return absl::StrCat("otpauth://totp/", name, ":", PercentEncode(username),
                      "?secret=", Base32Encode(secret), "&issuer=", name,
                      "&algorithm=SHA1&digits=", kDigits, "&period=", kStep_s);
}

}  // namespace carme::backend
