#include "proxy/portal_gate.h"

#include <climits>
#include <utility>

#include "common/hash.h"
#include "proxy/cookies.h"
#include "proxy/job_cookie.h"

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

PortalSeat& PortalSeat::operator=(PortalSeat&& other) noexcept {
  if (this == &other) return *this;
  Leave();
  gate_ = std::exchange(other.gate_, nullptr);
  address_ = std::move(other.address_);
  session_ = std::move(other.session_);
  stream_ = other.stream_;
  return *this;
}

bool PortalSeat::BecomeStream() {
  if (gate_ == nullptr || stream_) return true;
  if (!gate_->streams_.Enter(address_, session_)) return false;
  gate_->requests_.Leave(address_, session_);
  stream_ = true;
  return true;
}

void PortalSeat::Leave() {
  if (gate_ == nullptr) return;
  (stream_ ? gate_->streams_ : gate_->requests_).Leave(address_, session_);
  gate_ = nullptr;
}

bool PortalGate::Places::Enter(const std::string& address,
                               const std::string& session) {
  if (!by_address.Enter(address)) return false;
  if (by_session.Enter(session)) return true;
  by_address.Leave(address);
  return false;
}

void PortalGate::Places::Leave(const std::string& address,
                               const std::string& session) {
  by_address.Leave(address);
  by_session.Leave(session);
}

PortalGate::PortalGate(const ProxyLimits& limits)
    : requests_{{INT_MAX, limits.max_portal_requests_per_address},
                {INT_MAX, limits.max_portal_requests_per_session}},
      streams_{{INT_MAX, limits.max_portal_streams_per_address},
               {INT_MAX, limits.max_portal_streams_per_session}},
      buffers_(int64_t{limits.max_portal_buffer_mib} << 20) {}

PortalSeat PortalGate::Enter(std::string address, std::string session) {
  if (!requests_.Enter(address, session)) return {};
  return PortalSeat(this, std::move(address), std::move(session));
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
