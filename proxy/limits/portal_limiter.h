// Limits for requests to the portal. The frontend serves each connection with a
// thread, so what one client has under way there is bounded here, and bytes
// that wait for a client wait here instead of in one of those threads.
#ifndef CARME_PROXY_LIMITS_PORTAL_LIMITER_H_
#define CARME_PROXY_LIMITS_PORTAL_LIMITER_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "proxy/config/proxy_config.h"
#include "proxy/http/http1_head.h"
#include "proxy/limits/connection_limiter.h"

namespace carme::proxy {

// The largest body of a request that the frontend accepts (ReadLimits of
// frontend/http/request_reader.h).
inline constexpr size_t kMaxPortalBody = 64 * 1024;
// A response up to this size is read completely from the frontend, whether its
// client reads it or not. Every file of the web application is smaller (337
// kB).
inline constexpr size_t kMaxBufferedResponse = 512 * 1024;

// Bytes that all loops may hold together, for the bodies of requests and for
// responses. A quarter is not for responses, so that clients that do not read
// theirs leave room for requests. Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(int64_t max_bytes)
      : request_share_(max_bytes / 4), left_(max_bytes) {}
  // Bytes that responses leave free.
  int64_t request_share() const { return request_share_; }
  // False: fewer than `bytes` and `leave` are left, and none were taken.
  bool Take(size_t bytes, int64_t leave = 0);
  void Return(size_t bytes) {
    left_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  }

 private:
  const int64_t request_share_;
  std::atomic<int64_t> left_;
};

// What one owner has taken of a budget; returned when destroyed. `leave`: what
// it leaves free for others.
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
  // As much of it as was taken.
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

// A place among the requests under way. Move-only; gives its place back when
// destroyed.
class PortalSlot {
 public:
  PortalSlot() = default;  // none
  PortalSlot(PortalSlot&& other) noexcept { *this = std::move(other); }
  PortalSlot& operator=(PortalSlot&& other) noexcept;
  ~PortalSlot() { Release(); }

  bool acquired() const { return limiter_ != nullptr; }
  // Moves from the requests to the streams. False: the client has too many of
  // these, and the seat stays where it was.
  bool BecomeStream();

 private:
  friend class PortalLimiter;
  PortalSlot(PortalLimiter* limiter, std::string address, std::string session)
      : limiter_(limiter),
        address_(std::move(address)),
        session_(std::move(session)) {}
  void Release();

  PortalLimiter* limiter_ = nullptr;
  std::string address_;
  std::string session_;
  bool stream_ = false;
};

// Thread-safe: the loops share one, which outlives its seats.
class PortalLimiter {
 public:
  explicit PortalLimiter(const ProxyLimits& limits);

  // `address` as ConnectionLimiter::ClientKey() gives it, `session` as
  // SessionKeyOf(); either may be empty and then does not count. Not
  // acquired(): there are too many.
  PortalSlot Acquire(std::string address, std::string session);
  ByteBudget& buffers() { return buffers_; }

 private:
  friend class PortalSlot;
  struct Counters {
    ConnectionLimiter by_address;
    ConnectionLimiter by_session;
    bool Acquire(const std::string& address, const std::string& session);
    void Release(const std::string& address, const std::string& session);
  };

  Counters requests_;
  Counters streams_;
  ByteBudget buffers_;
};

// A key for the session cookie or access token that a request shows, valid or
// not; empty without one. It is a digest: the secret itself is not kept.
std::string SessionKeyOf(const RequestHead& head);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LIMITS_PORTAL_LIMITER_H_
