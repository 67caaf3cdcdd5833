// Counts and logs each request, from its head to its end.
#ifndef CARME_PROXY_TELEMETRY_REQUEST_LOG_H_
#define CARME_PROXY_TELEMETRY_REQUEST_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "common/http1/head.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

class RequestRecord;

// One per loop, on its thread. Must outlive its records.
class RequestLog {
 public:
  RequestLog(AccessLog& log, Counters& counters)
      : log_(log), counters_(counters) {}

  // `protocol` is "1.1" or "2". The query is not stored: apps send tokens in
  // it, the portal its tickets.
  RequestRecord Begin(const RequestHead& head, std::string_view client,
                      std::string_view request_id, std::string_view trace_id,
                      std::string_view protocol);

 private:
  friend class RequestRecord;
  AccessLog& log_;
  Counters& counters_;
  LogClock clock_;
};

// The record of one request. Its destructor counts the request and writes its
// log line. Move-only.
class RequestRecord {
 public:
  RequestRecord() = default;  // records nothing
  RequestRecord(RequestRecord&& other) noexcept;
  RequestRecord& operator=(RequestRecord&& other) noexcept;
  ~RequestRecord() { End(); }

  // Call it at most once. Without it, the destination is kLocal.
  void SetDestination(Destination served, std::string_view user);
  // Without it, the connection ended before a response.
  void SetStatus(int status) { status_ = status; }
  void WebsocketOpened();
  // Bytes of bodies and websockets.
  void Received(uint64_t bytes) { received_ += bytes; }
  void Sent(uint64_t bytes) { sent_ += bytes; }

 private:
  friend class RequestLog;
  void End();
  void Write(int64_t microseconds);

  RequestLog* log_ = nullptr;
  std::string line_;  // first half of the line; empty without a log
  int64_t began_us_ = 0;
  uint64_t received_ = 0;
  uint64_t sent_ = 0;
  int status_ = 0;
  Destination served_ = Destination::kLocal;
  bool websocket_ = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_REQUEST_LOG_H_
