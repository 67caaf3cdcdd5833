#include "proxy/telemetry/metrics.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proxy/local_reply/admin_http.h"

namespace carme::proxy {
namespace {

constexpr const char* kDestinations[] = {"here", "portal", "job"};
constexpr const char* kStatus[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr const char* kLimits[] = {
    "connections", "address",         "session",        "logins",       "body",
    "memory",      "portal_requests", "portal_streams", "portal_buffer"};
static_assert(std::size(kDestinations) == kDestinationCount);
static_assert(std::size(kLimits) == kLimitCount);

class Page {
 public:
  explicit Page(const std::vector<const Counters*>& loops) : loops_(loops) {}

  void Family(std::string_view name, std::string_view type,
              std::string_view help) {
    name_ = absl::StrCat("carme_proxy_", std::string(name));
    absl::StrAppend(&text_, "# HELP ", name_, " ", std::string(help),
                    "\n# TYPE ", name_, " ", std::string(type), "\n");
  }
  // A sample of the family; `labels` without braces, `suffix` of histograms.
  template <typename Value>
  void Sample(const std::string& labels, const Value& value,
              const char* suffix = "") {
    absl::StrAppend(&text_, name_, suffix);
    if (!labels.empty()) absl::StrAppend(&text_, "{", labels, "}");
    absl::StrAppend(&text_, " ", value, "\n");
  }
  // Of all loops together.
  template <typename Pick>
  uint64_t Sum(Pick pick) const {
    uint64_t sum = 0;
    for (const Counters* loop : loops_) sum += pick(*loop).Get();
    return sum;
  }
  template <typename Pick>
  void Counter(std::string_view name, std::string_view help, Pick pick) {
    Family(name, "counter", help);
    Sample("", Sum(pick));
  }
  std::string Take() { return std::move(text_); }

 private:
  const std::vector<const Counters*>& loops_;
  std::string name_;
  std::string text_;
};

std::string Label(const char* name, const char* value) {
  return absl::StrCat(name, "=\"", value, "\"");
}

void Connections(const MetricsInput& input, Page* page) {
  page->Counter(
      "connections_total", "Accepted from clients.",
      [](const Counters& c) -> const Count& { return c.connections; });
  page->Family("connections_open", "gauge", "Clients' connections.");
  page->Sample("", input.open_connections);
  page->Family("websockets_open", "gauge", "Websockets under way.");
  page->Sample("", page->Sum([](const Counters& c) -> const Count& {
    return c.websockets_open;
  }));
  page->Family("tls_handshakes_total", "counter", "With clients.");
  page->Sample(Label("result", "full"),
               page->Sum([](const Counters& c) -> const Count& {
                 return c.handshakes_full;
               }));
  page->Sample(Label("result", "resumed"),
               page->Sum([](const Counters& c) -> const Count& {
                 return c.handshakes_resumed;
               }));
  page->Sample(Label("result", "failed"),
               page->Sum([](const Counters& c) -> const Count& {
                 return c.handshakes_failed;
               }));
}

void Requests(Page* page) {
  page->Family("requests_total", "counter",
               "ServeResult requests, by who answered and the kind of status.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    for (size_t status = 0; status < std::size(kStatus); ++status) {
      page->Sample(absl::StrCat(Label("to", kDestinations[served]), ",",
                                Label("status", kStatus[status])),
                   page->Sum([=](const Counters& c) -> const Count& {
                     return c.served[served].by_status[status];
                   }));
    }
  }
  page->Family("request_seconds", "histogram",
               "From a request's head to its answer's end; no websockets.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    const std::string to = Label("to", kDestinations[served]);
    uint64_t below = 0;
    for (size_t bucket = 0; bucket <= kDurationBuckets.size(); ++bucket) {
      below += page->Sum([=](const Counters& c) -> const Count& {
        return c.served[served].by_duration[bucket];
      });
      const std::string end = bucket < kDurationBuckets.size()
                                  ? absl::StrCat(kDurationBuckets[bucket])
                                  : "+Inf";
      page->Sample(absl::StrCat(to, ",", Label("le", end.c_str())), below,
                   "_bucket");
    }
    const double seconds =
        1e-6 *
        static_cast<double>(page->Sum([=](const Counters& c) -> const Count& {
          return c.served[served].microseconds;
        }));
    page->Sample(to, std::to_string(seconds), "_sum");
    page->Sample(to, below, "_count");
  }
}

void Bytes(Page* page) {
  page->Family("received_bytes_total", "counter",
               "Of bodies and websockets, from clients.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    page->Sample(Label("to", kDestinations[served]),
                 page->Sum([=](const Counters& c) -> const Count& {
                   return c.served[served].received_bytes;
                 }));
  }
  page->Family("sent_bytes_total", "counter",
               "Of bodies and websockets, to clients.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    page->Sample(Label("to", kDestinations[served]),
                 page->Sum([=](const Counters& c) -> const Count& {
                   return c.served[served].sent_bytes;
                 }));
  }
}

void Refusals(Page* page) {
  page->Family("limited_total", "counter", "Turned away by a limit.");
  for (size_t limit = 0; limit < kLimitCount; ++limit) {
    page->Sample(Label("limit", kLimits[limit]),
                 page->Sum([=](const Counters& c) -> const Count& {
                   return c.limits[limit];
                 }));
  }
  page->Counter(
      "refused_requests_total", "No proper HTTP.",
      [](const Counters& c) -> const Count& { return c.refused_requests; });
  page->Counter(
      "plain_requests_total", "HTTP without TLS.",
      [](const Counters& c) -> const Count& { return c.plain_requests; });
  page->Counter(
      "bad_proxy_headers_total", "Of load balancers.",
      [](const Counters& c) -> const Count& { return c.bad_proxy_headers; });
  page->Counter(
      "agents_refused_total", "Of those that dial, or who calls itself one.",
      [](const Counters& c) -> const Count& { return c.agents_refused; });
  page->Counter("log_lines_total", "Written to the access log.",
                [](const Counters& c) -> const Count& { return c.log_lines; });
  page->Counter(
      "log_lines_lost_total", "Not written: the disk is full, for example.",
      [](const Counters& c) -> const Count& { return c.log_lines_lost; });
}

}  // namespace

std::string MetricsText(const MetricsInput& input) {
  Page page(input.loops);
  Connections(input, &page);
  Requests(&page);
  Bytes(&page);
  Refusals(&page);
  page.Family("routes", "gauge", "Jobs that are known.");
  // Every loop knows all of them.
  page.Sample("", input.loops.empty() ? 0 : input.loops[0]->routes.Get());
  page.Family("stale_routes", "gauge",
              "Routes that the backend does not name any more.");
  page.Sample("", input.loops.empty() ? 0 : input.loops[0]->stale_routes.Get());
  page.Family("reverse_tunnels", "gauge", "Connections of agents that dial.");
  page.Sample("", page.Sum([](const Counters& c) -> const Count& {
    return c.reverse_tunnels;
  }));
  page.Family("start_time_seconds", "gauge", "Of this process, since 1970.");
  page.Sample("", absl::ToUnixSeconds(input.started));
  return page.Take();
}

std::string MetricsResponse(const ScanResult& scan, const RequestHead& head,
                            const MetricsInput& input) {
  if (scan.state != ScanState::kDone) return RejectionResponse(scan);
  if (head.target.substr(0, head.target.find('?')) != "/metrics") {
    return TextResponse("404 Not Found", "", "There is /metrics only.\n");
  }
  if (head.method != "GET" && head.method != "HEAD") {
    return TextResponse("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "");
  }
  return TextResponse("200 OK", "", MetricsText(input));
}

}  // namespace carme::proxy
