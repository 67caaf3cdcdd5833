// Requests of Prometheus' HTTP API as a call of carme-metrics.
// https://prometheus.io/docs/prometheus/latest/querying/api/
//
// Pure function.
#ifndef CARME_FRONTEND_PROMETHEUS_REQUEST_H_
#define CARME_FRONTEND_PROMETHEUS_REQUEST_H_

#include <optional>
#include <variant>

#include "absl/time/time.h"
#include "carme/v1/metrics.pb.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// Before the endpoints: "/prometheus" is what a client is configured with.
inline constexpr char kPrometheusPath[] = "/prometheus/api/v1/";

struct PrometheusRequest {
  v1::QueryPrometheusRequest call;
  // The response's data for calls that only check the token. Empty: the data
  // of the answer.
  std::string fixed_data;
  std::optional<absl::Duration> timeout;  // of the client; positive
};

// `request` has a path that begins with kPrometheusPath. Parameters are in the
// query and, of a POST, in a form; of a repeated one, the form's and the first
// counts; unknown ones are ignored, as Prometheus does.
std::variant<PrometheusRequest, HttpError> ParsePrometheusRequest(
    const HttpRequest& request, absl::Time now);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_PROMETHEUS_REQUEST_H_
