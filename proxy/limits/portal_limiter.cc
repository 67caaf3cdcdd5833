#include "proxy/limits/portal_limiter.h"

#include <climits>
#include <utility>

#include "common/crypto/hash.h"
#include "proxy/http/cookies.h"

namespace carme::proxy {
namespace {

constexpr size_t kSessionKeyBytes = 16;

}  // namespace

bool ByteBudget::Take(size_t bytes, int64_t leave) {
  const auto wanted = static_cast<int64_t>(bytes);
  if (left_.fetch_sub(wanted, std::memory_order_relaxed) >= wanted + leave) {
    return true;
  }
  Return(bytes);
  return false;
}

PortalSlot& PortalSlot::operator=(PortalSlot&& other) noexcept {
  if (this == &other) return *this;
  Release();
  limiter_ = std::exchange(other.limiter_, nullptr);
  address_ = std::move(other.address_);
  session_ = std::move(other.session_);
  stream_ = other.stream_;
  return *this;
}

bool PortalSlot::BecomeStream() {
  if (limiter_ == nullptr || stream_) return true;
  if (!limiter_->streams_.Acquire(address_, session_)) return false;
  limiter_->requests_.Release(address_, session_);
  stream_ = true;
  return true;
}

void PortalSlot::Release() {
  if (limiter_ == nullptr) return;
  (stream_ ? limiter_->streams_ : limiter_->requests_)
      .Release(address_, session_);
  limiter_ = nullptr;
}

bool PortalLimiter::Counters::Acquire(const std::string& address,
                                      const std::string& session) {
  if (!by_address.Acquire(address)) return false;
  if (by_session.Acquire(session)) return true;
  by_address.Release(address);
  return false;
}

void PortalLimiter::Counters::Release(const std::string& address,
                                      const std::string& session) {
  by_address.Release(address);
  by_session.Release(session);
}

PortalLimiter::PortalLimiter(const ProxyLimits& limits)
    : requests_{{INT_MAX, limits.max_portal_requests_per_address},
                {INT_MAX, limits.max_portal_requests_per_session}},
      streams_{{INT_MAX, limits.max_portal_streams_per_address},
               {INT_MAX, limits.max_portal_streams_per_session}},
      buffers_(int64_t{limits.max_portal_buffer_mib} << 20) {}

PortalSlot PortalLimiter::Acquire(std::string address, std::string session) {
  if (!requests_.Acquire(address, session)) return {};
  return PortalSlot(this, std::move(address), std::move(session));
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
