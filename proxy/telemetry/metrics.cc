#include "proxy/telemetry/metrics.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proxy/local_reply/admin_http.h"

namespace carme::proxy {
namespace {

constexpr const char* kDestinations[] = {"local", "portal", "job"};
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
  // One sample of the family; `labels` without braces, `suffix` for histograms.
  template <typename Value>
  void Sample(const std::string& labels, const Value& value,
              const char* suffix = "") {
    absl::StrAppend(&text_, name_, suffix);
    if (!labels.empty()) absl::StrAppend(&text_, "{", labels, "}");
    absl::StrAppend(&text_, " ", value, "\n");
  }
  // The sum over all loops.
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
  page->Family("websockets_open", "gauge", "Open websockets.");
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
               "Finished requests, by destination and class of status.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    for (size_t status = 0; status < std::size(kStatus); ++status) {
      page->Sample(absl::StrCat(Label("to", kDestinations[served]), ",",
                                Label("status", kStatus[status])),
                   page->Sum([=](const Counters& c) -> const Count& {
                     return c.served[served].by_status[status];
                   }));
    }
  }
  page->Family(
      "request_seconds", "histogram",
      "From a request's head to its response's end; without websockets.");
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
  page->Family("limited_total", "counter", "Rejected by a limit.");
  for (size_t limit = 0; limit < kLimitCount; ++limit) {
    page->Sample(Label("limit", kLimits[limit]),
                 page->Sum([=](const Counters& c) -> const Count& {
                   return c.limits[limit];
                 }));
  }
  page->Counter(
      "refused_requests_total", "Malformed HTTP.",
      [](const Counters& c) -> const Count& { return c.refused_requests; });
  page->Counter(
      "plain_requests_total", "HTTP without TLS.",
      [](const Counters& c) -> const Count& { return c.plain_requests; });
  page->Counter(
      "bad_proxy_headers_total", "Invalid PROXY headers of load balancers.",
      [](const Counters& c) -> const Count& { return c.bad_proxy_headers; });
  page->Counter(
      "agents_refused_total",
      "Connections to the agents' port that were closed.",
      [](const Counters& c) -> const Count& { return c.agents_refused; });
  page->Counter("log_lines_total", "Written to the access log.",
                [](const Counters& c) -> const Count& { return c.log_lines; });
  page->Counter(
      "log_lines_lost_total", "Not written, for example on a full disk.",
      [](const Counters& c) -> const Count& { return c.log_lines_lost; });
}

}  // namespace

std::string MetricsText(const MetricsInput& input) {
  Page page(input.loops);
  Connections(input, &page);
  Requests(&page);
  Bytes(&page);
  Refusals(&page);
  page.Family("routes", "gauge", "Routes to jobs.");
  // All loops have the same routes.
  page.Sample("", input.loops.empty() ? 0 : input.loops[0]->routes.Get());
  page.Family("stale_routes", "gauge",
              "Routes that the backend no longer lists.");
  page.Sample("", input.loops.empty() ? 0 : input.loops[0]->stale_routes.Get());
  page.Family("reverse_tunnels", "gauge", "Reverse tunnels of agents.");
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
    return TextResponse("404 Not Found", "", "Only /metrics is served.\n");
  }
  if (head.method != "GET" && head.method != "HEAD") {
    return TextResponse("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "");
  }
  return TextResponse("200 OK", "", MetricsText(input));
}

}  // namespace carme::proxy
