// Limits for requests to the portal. The frontend has a thread per connection,
// so the concurrent requests of one client are limited here, and bytes that a
// client has not read yet are buffered here.
#ifndef CARME_PROXY_LIMITS_PORTAL_LIMITER_H_
#define CARME_PROXY_LIMITS_PORTAL_LIMITER_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/http1/head.h"
#include "proxy/config/proxy_config.h"
#include "proxy/limits/connection_limiter.h"

namespace carme::proxy {

// The largest request body that the frontend accepts (kMaxBodyBytes of
// frontend/http/incoming_request.h).
inline constexpr size_t kMaxPortalBody = 64 * 1024;
// Responses up to this size are read completely from the frontend, even if
// their client does not read. All files of the web application are smaller.
inline constexpr size_t kMaxBufferedResponse = 512 * 1024;

// Memory of all loops for bodies of requests and for responses. A quarter is
// reserved for requests, so that clients that do not read their responses
// cannot block it. Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(int64_t max_bytes)
      : request_share_(max_bytes / 4), left_(max_bytes) {}
  // The bytes that responses must leave free.
  int64_t request_share() const { return request_share_; }
  // False: fewer than `bytes` + `leave` are free, and none were taken.
  bool Take(size_t bytes, int64_t leave = 0);
  void Return(size_t bytes) {
    left_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  const int64_t request_share_;
  std::atomic<int64_t> left_;
};

// The bytes that one owner has taken from a budget; returned by the destructor.
// `leave`: bytes to leave free for others.
class BudgetCharge {
 public:
  explicit BudgetCharge(ByteBudget& budget, int64_t leave = 0)
      : budget_(budget), leave_(leave) {}
  ~BudgetCharge() { Return(bytes_); }
  BudgetCharge(const BudgetCharge&) = delete;
  BudgetCharge& operator=(const BudgetCharge&) = delete;
  bool Take(size_t bytes) {
    if (!budget_.Take(bytes, leave_)) return false;
    bytes_ += bytes;
    return true;
  }
  // Returns at most what was taken.
  void Return(size_t bytes) {
    bytes = std::min(bytes, bytes_);
    budget_.Return(bytes);
    bytes_ -= bytes;
  }
  void ReturnAll() { Return(bytes_); }

 private:
  ByteBudget& budget_;
  const int64_t leave_;
  size_t bytes_ = 0;
};

class PortalLimiter;

// A slot for a request. Move-only; the destructor releases it.
class PortalSlot {
 public:
  PortalSlot() = default;  // holds no slot

  bool acquired() const { return address_.acquired(); }
  // Counts as a stream instead of a request. False: the client has too many
  // streams, and the slot stays a request's.
  bool BecomeStream();

 private:
  friend class PortalLimiter;

  PortalLimiter* limiter_ = nullptr;
  ConnectionSlot address_;
  ConnectionSlot session_;
  bool is_stream_ = false;
};

// Thread-safe: the loops share one, which must outlive its slots.
class PortalLimiter {
 public:
  explicit PortalLimiter(const ProxyLimits& limits);

  // `address` as ClientKeyOf() returns it, `session` as SessionKeyOf(). An
  // empty one is not limited. acquired() is false when a limit is reached.
  PortalSlot TryAcquire(std::string address, std::string session);
  ByteBudget& buffers() { return buffers_; }

 private:
  friend class PortalSlot;
  struct Limits {
    Limits(int max_per_address, int max_per_session)
        : by_address(ConnectionLimiter::kUnlimited, max_per_address),
          by_session(ConnectionLimiter::kUnlimited, max_per_session) {}
    PortalSlot TryAcquire(std::string address, std::string session);

    ConnectionLimiter by_address;
    ConnectionLimiter by_session;
  };

  Limits requests_;
  Limits streams_;
  ByteBudget buffers_;
};

// A key for the session cookie or access token of a request, valid or not;
// empty without one. It is a digest, so that the secret is not stored.
std::string SessionKeyOf(const RequestHead& head);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_PORTAL_LIMITER_H_
