// One request as it is counted and logged, from its head to its end.
#ifndef CARME_PROXY_TELEMETRY_REQUEST_LOG_H_
#define CARME_PROXY_TELEMETRY_REQUEST_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/http/http1_head.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

class RequestRecord;

// One a loop, on its thread; outlives its records.
class RequestLog {
 public:
  RequestLog(AccessLog& log, Counters& counters)
      : log_(log), counters_(counters) {}

  // `protocol` is "1.1" or "2". Nothing is kept of the query, where apps put
  // tokens and the portal its tickets.
  RequestRecord Begin(const RequestHead& head, std::string_view client,
                      std::string_view request_id, std::string_view protocol);

 private:
  friend class RequestRecord;
  AccessLog& log_;
  Counters& counters_;
  LogClock clock_;
};

// Whoever holds it when the request has ended destroys it, which counts it and
// writes its line. Moves, never copies.
class RequestRecord {
 public:
  RequestRecord() = default;  // of nothing
  RequestRecord(RequestRecord&& other) noexcept;
  RequestRecord& operator=(RequestRecord&& other) noexcept;
  ~RequestRecord() { End(); }

  // Whom it was passed on to; never called: answered here. Once.
  void SetDestination(Destination served, std::string_view user);
  // Of the answer; never called: the connection ended without one.
  void SetStatus(int status) { status_ = status; }
  void WebsocketOpened();
  // Bytes of bodies and of websockets.
  void Received(uint64_t bytes) { received_ += bytes; }
  void Sent(uint64_t bytes) { sent_ += bytes; }

 private:
  friend class RequestLog;
  void End();
  void Write(int64_t microseconds);

  RequestLog* log_ = nullptr;
  std::string line_;  // its first half; empty when there is no log
  int64_t began_us_ = 0;
  uint64_t received_ = 0;
  uint64_t sent_ = 0;
  int status_ = 0;
  Destination served_ = Destination::kLocal;
  bool websocket_ = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_REQUEST_LOG_H_
