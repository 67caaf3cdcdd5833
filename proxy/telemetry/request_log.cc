#include "proxy/telemetry/request_log.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace carme::proxy {
namespace {

constexpr size_t kMaxHost = 120;
constexpr size_t kMaxPath = 200;
constexpr size_t kMaxUser = 64;

int64_t NowUs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000} + now.tv_nsec / 1000;
}

void AppendNumber(uint64_t number, std::string* out) {
  char digits[20];
  const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out->append(digits, static_cast<size_t>(end - digits));
}

std::string_view NameOf(Destination served) {
  switch (served) {
    case Destination::kLocal:
      return "local";
    case Destination::kPortal:
      return "portal";
    case Destination::kJob:
      return "job";
  }
  return "";
}

}  // namespace

RequestRecord RequestLog::Begin(const RequestHead& head,
                                std::string_view client,
                                std::string_view request_id,
                                std::string_view trace_id,
                                std::string_view protocol) {
  RequestRecord record;
  record.log_ = this;
  record.began_us_ = NowUs();
  if (!log_.on()) return record;
  std::string& line = record.line_;
  line.reserve(320);
  clock_.AppendNow(&line);
  line.append(" client=").append(client);
  line.append(" id=").append(request_id);
  line.append(" trace=").append(trace_id);
  line.append(" http=").append(protocol);
  line.append(" method=").append(head.method);
  line.append(" host=");
  AppendLogValue(head.host, kMaxHost, &line);
  line.append(" path=");
  AppendLogValue(head.target.substr(0, head.target.find('?')), kMaxPath, &line);
  return record;
}

RequestRecord::RequestRecord(RequestRecord&& other) noexcept
    : log_(std::exchange(other.log_, nullptr)),
      line_(std::move(other.line_)),
      began_us_(other.began_us_),
      received_(other.received_),
      sent_(other.sent_),
      status_(other.status_),
      served_(other.served_),
      websocket_(other.websocket_) {}

RequestRecord& RequestRecord::operator=(RequestRecord&& other) noexcept {
  if (this == &other) return *this;
  End();
  log_ = std::exchange(other.log_, nullptr);
  line_ = std::move(other.line_);
  began_us_ = other.began_us_;
  received_ = other.received_;
  sent_ = other.sent_;
  status_ = other.status_;
  served_ = other.served_;
  websocket_ = other.websocket_;
  return *this;
}

void RequestRecord::SetDestination(Destination served, std::string_view user) {
  served_ = served;
  if (log_ == nullptr || line_.empty()) return;
  line_.append(" to=").append(NameOf(served)).append(" user=");
  AppendLogValue(user, kMaxUser, &line_);
}

void RequestRecord::WebsocketOpened() {
  if (log_ == nullptr || websocket_) return;
  websocket_ = true;
  log_->counters_.websockets_open.Add();
}

void RequestRecord::End() {
  if (log_ == nullptr) return;
  const int64_t microseconds = std::max<int64_t>(NowUs() - began_us_, 0);
  Counters& counters = log_->counters_;
  DestinationCounters& served = counters.Of(served_);
  const int digit = status_ / 100;
  served.by_status[digit >= 1 && digit <= 5 ? static_cast<size_t>(digit) : 0]
      .Add();
  served.received_bytes.Add(received_);
  served.sent_bytes.Add(sent_);
  if (websocket_) {
    counters.websockets_open.Subtract();
  } else {
    const double seconds = static_cast<double>(microseconds) * 1e-6;
    served.by_duration[DurationBucketOf(seconds)].Add();
    served.microseconds.Add(static_cast<uint64_t>(microseconds));
  }
  if (!line_.empty()) Write(microseconds);
  log_ = nullptr;
}

void RequestRecord::Write(int64_t microseconds) {
  if (served_ == Destination::kLocal) line_.append(" to=local user=-");
  line_.append(" status=");
  AppendNumber(static_cast<uint64_t>(status_), &line_);
  line_.append(" in=");
  AppendNumber(received_, &line_);
  line_.append(" out=");
  AppendNumber(sent_, &line_);
  line_.append(" ms=");
  AppendNumber(static_cast<uint64_t>(microseconds / 1000), &line_);
  const auto rest = static_cast<int>(microseconds % 1000);
  const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                         static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10), '\n'};
  line_.append(digits, sizeof digits);
  log_->log_.Append(line_);
}

}  // namespace carme::proxy
