#include "proxy/upstream/tunnel_preamble.h"

#include <algorithm>
#include <string>

#include "proxy/upstream/messages.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kMark = "CARME1 LINK ";
constexpr size_t kJobIdBytes = 16;
static_assert(kMark.size() + kJobIdBytes + 1 == kTunnelPreambleBytes);

}  // namespace

absl::StatusOr<std::optional<JobId>> ScanTunnelPreamble(
    std::string_view bytes) {
  // Reject other protocols at once instead of waiting for more bytes.
  const size_t known = std::min(bytes.size(), kMark.size());
  if (bytes.substr(0, known) != kMark.substr(0, known)) {
    return MakePlainError(proxy_upstream_messages::kNotAPreamble);
  }
  if (bytes.size() < kTunnelPreambleBytes) return std::optional<JobId>();
  const std::string_view job = bytes.substr(kMark.size(), kJobIdBytes);
  if (bytes.size() > kTunnelPreambleBytes || bytes.back() != '\n' ||
      !IsJobId(job)) {
    return MakePlainError(proxy_upstream_messages::kInvalidJobId);
  }
  return std::optional<JobId>(std::string(job));
}

}  // namespace carme::proxy
