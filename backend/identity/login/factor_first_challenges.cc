#include "backend/identity/login/factor_first_challenges.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "backend/identity/factors/passkey.h"
#include "common/crypto/hash.h"
#include "common/random.h"

namespace carme::backend {
namespace {

constexpr size_t kTimeBytes = 8;
constexpr size_t kRandomBytes = 8;
constexpr size_t kContentBytes = kTimeBytes + kRandomBytes;
constexpr size_t kHashBytes = 16;
static_assert(kContentBytes + kHashBytes == kPasskeyChallengeBytes);
constexpr size_t kKeyBytes = 32;

std::string TimeBytes(absl::Time time) {
  const auto micros = static_cast<uint64_t>(absl::ToUnixMicros(time));
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>((micros >> shift) & 0xff));
  }
  return bytes;
}

absl::Time TimeOf(std::string_view challenge) {
  uint64_t micros = 0;
  for (const char byte : challenge.substr(0, kTimeBytes)) {
    micros = (micros << 8) | static_cast<unsigned char>(byte);
  }
  return absl::FromUnixMicros(static_cast<int64_t>(micros));
}

}  // namespace

FactorFirstChallenges::FactorFirstChallenges(const Clock* clock)
    : clock_(*clock), key_(RandomBytes(kKeyBytes)) {}

// HMAC (RFC 2104) is not needed: all hashed input has one length, so nothing
// can be appended.
std::string FactorFirstChallenges::HashOf(std::string_view content) const {
  std::string text = key_;
  text.append(content);
  return Sha256(text).substr(0, kHashBytes);
}

std::string FactorFirstChallenges::Make() const {
  std::string content = TimeBytes(clock_.Now());
  content += RandomBytes(kRandomBytes);
  return content + HashOf(content);
}

bool FactorFirstChallenges::IsLive(std::string_view challenge) const {
  if (challenge.size() != kPasskeyChallengeBytes) return false;
  const std::string_view content = challenge.substr(0, kContentBytes);
  if (!EqualInConstantTime(HashOf(content), challenge.substr(kContentBytes))) {
    return false;
  }
  return clock_.Now() < TimeOf(challenge) + kLifetime;
}

bool FactorFirstChallenges::Spend(Uid uid, std::string_view challenge) {
  absl::MutexLock lock(&mutex_);
  const absl::Time oldest = clock_.Now() - kLifetime;
  absl::erase_if(answered_,
                 [&](const auto& entry) { return entry.second <= oldest; });
  const absl::Time made = TimeOf(challenge);
  const auto [found, is_first] = answered_.emplace(uid, made);
  if (is_first) return true;
  if (made <= found->second) return false;
  found->second = made;
  return true;
}

}  // namespace carme::backend
