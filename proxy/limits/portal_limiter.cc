#include "proxy/limits/portal_limiter.h"

#include <utility>

#include "common/crypto/hash.h"
#include "proxy/http/cookies.h"

namespace carme::proxy {
namespace {

constexpr size_t kSessionKeyBytes = 16;

ConnectionSlot Acquire(ConnectionLimiter& limiter, std::string key) {
  return key.empty() ? limiter.TryAcquire()
                     : limiter.TryAcquire(std::move(key));
}

}  // namespace

bool ByteBudget::Take(size_t bytes, int64_t leave) {
  const auto wanted = static_cast<int64_t>(bytes);
  if (left_.fetch_sub(wanted, std::memory_order_relaxed) >= wanted + leave) {
    return true;
  }
  Return(bytes);
  return false;
}

bool PortalSlot::BecomeStream() {
  if (!acquired() || is_stream_) return true;
  PortalSlot stream =
      limiter_->streams_.TryAcquire(address_.key(), session_.key());
  if (!stream.acquired()) return false;
  stream.limiter_ = limiter_;
  stream.is_stream_ = true;
  *this = std::move(stream);
  return true;
}

PortalSlot PortalLimiter::Limits::TryAcquire(std::string address,
                                             std::string session) {
  PortalSlot slot;
  slot.address_ = Acquire(by_address, std::move(address));
  if (!slot.address_.acquired()) return {};
  slot.session_ = Acquire(by_session, std::move(session));
  if (!slot.session_.acquired()) return {};
  return slot;
}

PortalLimiter::PortalLimiter(const ProxyLimits& limits)
    : requests_(limits.max_portal_requests_per_address,
                limits.max_portal_requests_per_session),
      streams_(limits.max_portal_streams_per_address,
               limits.max_portal_streams_per_session),
      buffers_(int64_t{limits.max_portal_buffer_mib} << 20) {}

PortalSlot PortalLimiter::TryAcquire(std::string address, std::string session) {
  PortalSlot slot =
      requests_.TryAcquire(std::move(address), std::move(session));
  slot.limiter_ = this;
  return slot;
}

std::string SessionKeyOf(const RequestHead& head) {
  std::string_view shown = FindCookie(head, kPortalCookieName);
  for (const Field& field : head.fields) {
    if (EqualsIgnoreCase(field.name, "authorization")) shown = field.value;
  }
  if (shown.empty()) return "";
  return Sha256(shown).substr(0, kSessionKeyBytes);
}

}  // namespace carme::proxy
