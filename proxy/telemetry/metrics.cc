#include "proxy/telemetry/metrics.h"

#include <iterator>
#include <string_view>

#include "common/metrics/metrics_writer.h"
#include "common/monitoring/certificate_metrics.h"

namespace carme::proxy {
namespace {

constexpr const char* kDestinations[] = {"local", "portal", "job"};
constexpr const char* kStatus[] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr const char* kLimits[] = {
    "connections", "address",         "session",        "logins",       "body",
    "memory",      "portal_requests", "portal_streams", "portal_buffer"};
static_assert(std::size(kDestinations) == kDestinationCount);
static_assert(std::size(kLimits) == kLimitCount);

// Sums over all loops, and writes.
class LoopSums {
 public:
  LoopSums(const std::vector<const Counters*>& loops, MetricsWriter* writer)
      : loops_(loops), writer_(*writer) {}

  template <typename Pick>
  uint64_t Sum(Pick pick) const {
    uint64_t sum = 0;
    for (const Counters* loop : loops_) sum += pick(*loop).Get();
    return sum;
  }
  void Counter(std::string_view name, std::string_view help,
               Count Counters::*count) {
    writer_.Counter(name, help, SumOf(count));
  }
  void Gauge(std::string_view name, std::string_view help,
             Count Counters::*count) {
    writer_.Gauge(name, help, SumOf(count));
  }
  uint64_t SumOf(Count Counters::*count) const {
    return Sum([=](const Counters& c) -> const Count& { return c.*count; });
  }
  uint64_t SumOf(size_t destination, Count DestinationCounters::*count) const {
    return Sum([=](const Counters& c) -> const Count& {
      return c.served[destination].*count;
    });
  }
  MetricsWriter& writer() { return writer_; }

 private:
  const std::vector<const Counters*>& loops_;
  MetricsWriter& writer_;
};

void Connections(int open, LoopSums* sums) {
  sums->Counter("connections_total", "Connections accepted from clients.",
                &Counters::connections);
  MetricsWriter& writer = sums->writer();
  writer.Gauge("connections_open", "Open connections of clients.", open);
  sums->Gauge("websockets_open", "Open websockets.",
              &Counters::websockets_open);
  writer.Family("tls_handshakes_total", MetricType::kCounter,
                "TLS handshakes with clients, by result: full, resumed or "
                "failed.");
  writer.Sample({{"result", "full"}}, sums->SumOf(&Counters::handshakes_full));
  writer.Sample({{"result", "resumed"}},
                sums->SumOf(&Counters::handshakes_resumed));
  writer.Sample({{"result", "failed"}},
                sums->SumOf(&Counters::handshakes_failed));
}

void Requests(LoopSums* sums) {
  MetricsWriter& writer = sums->writer();
  writer.Family("requests_total", MetricType::kCounter,
                "Finished requests, by destination (portal, job, or local: "
                "answered by the proxy) and class of status; none: the "
                "connection ended before a response.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    for (size_t status = 0; status < std::size(kStatus); ++status) {
      writer.Sample(
          {{"to", kDestinations[served]}, {"status", kStatus[status]}},
          sums->Sum([=](const Counters& c) -> const Count& {
            return c.served[served].by_status[status];
          }));
    }
  }
  writer.Family("request_seconds", MetricType::kHistogram,
                "From the head of a request to the end of its response; "
                "without websockets.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    DurationCounts counts;
    for (size_t bucket = 0; bucket < counts.by_bucket.size(); ++bucket) {
      counts.by_bucket[bucket] =
          sums->Sum([=](const Counters& c) -> const Count& {
            return c.served[served].by_duration[bucket];
          });
    }
    counts.microseconds =
        sums->SumOf(served, &DestinationCounters::microseconds);
    writer.Histogram({{"to", kDestinations[served]}}, counts);
  }
}

void Bytes(LoopSums* sums) {
  MetricsWriter& writer = sums->writer();
  writer.Family("received_bytes_total", MetricType::kCounter,
                "Bytes of bodies and websockets from clients.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    writer.Sample({{"to", kDestinations[served]}},
                  sums->SumOf(served, &DestinationCounters::received_bytes));
  }
  writer.Family("sent_bytes_total", MetricType::kCounter,
                "Bytes of bodies and websockets to clients.");
  for (size_t served = 0; served < kDestinationCount; ++served) {
    writer.Sample({{"to", kDestinations[served]}},
                  sums->SumOf(served, &DestinationCounters::sent_bytes));
  }
}

void Refusals(LoopSums* sums) {
  MetricsWriter& writer = sums->writer();
  writer.Family("limited_total", MetricType::kCounter,
                "Requests and connections rejected by a limit.");
  for (size_t limit = 0; limit < kLimitCount; ++limit) {
    writer.Sample({{"limit", kLimits[limit]}},
                  sums->Sum([=](const Counters& c) -> const Count& {
                    return c.limits[limit];
                  }));
  }
  sums->Counter("refused_requests_total", "Malformed HTTP requests.",
                &Counters::refused_requests);
  sums->Counter("plain_requests_total", "Requests of HTTP without TLS.",
                &Counters::plain_requests);
  sums->Counter("bad_proxy_headers_total",
                "Invalid PROXY headers of load balancers.",
                &Counters::bad_proxy_headers);
  sums->Counter("agents_refused_total",
                "Connections to the agents' port that were closed.",
                &Counters::agents_refused);
  sums->Counter("log_lines_total", "Lines written to the access log.",
                &Counters::log_lines);
  sums->Counter("log_lines_lost_total",
                "Lines of the access log that could not be written.",
                &Counters::log_lines_lost);
}

}  // namespace

std::string MetricsText(const MetricsInput& input) {
  MetricsWriter writer("carme_proxy_");
  LoopSums sums(input.loops, &writer);
  Connections(input.open_connections, &sums);
  Requests(&sums);
  Bytes(&sums);
  Refusals(&sums);
  // All loops have the same routes.
  const Counters* const first =
      input.loops.empty() ? nullptr : input.loops.front();
  writer.Gauge("routes", "Routes to apps of jobs.",
               first == nullptr ? 0 : first->routes.Get());
  writer.Gauge("stale_routes", "Routes that the backend no longer lists.",
               first == nullptr ? 0 : first->stale_routes.Get());
  sums.Gauge("reverse_tunnels", "Open reverse tunnels of agents.",
             &Counters::reverse_tunnels);
  WriteCertificates(input.certificates, input.now, &writer);
  writer.Family("build_info", MetricType::kGauge,
                "Always 1; the label is the version of Carme.");
  writer.Sample({{"version", CARME_VERSION}}, 1);
  writer.Gauge("start_time_seconds",
               "Start of the process, in seconds since 1970.",
               absl::ToUnixSeconds(input.started));
  return writer.Take();
}

}  // namespace carme::proxy
