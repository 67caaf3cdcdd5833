#include "frontend/prometheus_handler.h"

#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "carme/v1/metrics.pb.h"
#include "common/log.h"
#include "common/status.h"
#include "frontend/gateway/bearer_token.h"
#include "frontend/gateway/connect_request.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/prometheus_request.h"

namespace carme::frontend {
namespace {

constexpr char kQueryMethod[] = "/carme.v1.MetricsService/QueryPrometheus";
// Headers of the request that the call has, too.
constexpr std::array<std::string_view, 5> kCallHeaders = {
    "authorization", "x-forwarded-for", "user-agent", "traceparent",
    "x-request-id"};

struct PrometheusError {
  int status = 500;
  std::string_view type;  // Prometheus' name
};

// What a status of the gateway is in Prometheus' API. `reason`: of ErrorInfo.
PrometheusError ErrorOf(int status, std::string_view reason) {
  if (reason == "METRICS_DATABASE_REFUSED" ||
      reason == "METRICS_ANSWER_TOO_LARGE") {
    return {422, "execution"};
  }
  if (reason == "METRICS_TOO_MANY_QUERIES") return {503, "timeout"};
  switch (status) {
    case 400:
    case 414:
    case 415:
      return {status, "bad_data"};
    case 401:
      return {401, "unauthorized"};
    case 403:
      return {403, "forbidden"};
    case 404:
      return {404, "not_found"};
    case 405:
      return {405, "bad_data"};
    case 429:
      return {429, "too_many_requests"};
    case 408:
    case 504:
      return {503, "timeout"};
    case 501:  // carme-metrics is older
    case 503:
      return {503, "unavailable"};
    default:
      return {500, "internal"};
  }
}

HttpResponse JsonResponse(int status, std::string body) {
  HttpResponse response{.status = status, .body = std::move(body)};
  response.Set("Content-Type", "application/json");
  response.Set("Cache-Control", "no-store");
  return response;
}

HttpResponse Refusal(const PrometheusError& error, std::string_view text) {
  HttpResponse response = JsonResponse(
      error.status, absl::StrCat("{\"status\":\"error\",\"errorType\":",
                                 JsonString(error.type),
                                 ",\"error\":", JsonString(text), "}"));
  if (error.status == 401) response.Set("WWW-Authenticate", "Bearer");
  return response;
}

// The response to an error in Connect's form.
HttpResponse RefusalOf(const HttpResponse& answer) {
  google::protobuf::Struct error;
  std::string text = "the call failed";
  std::string reason;
  if (ParseJson(answer.body, &error).ok()) {
    const auto& fields = error.fields();
    if (const auto found = fields.find("message"); found != fields.end()) {
      text = found->second.string_value();
    }
    if (const auto found = fields.find("details"); found != fields.end()) {
      for (const auto& detail : found->second.list_value().values()) {
        const auto& members = detail.struct_value().fields();
        const auto debug = members.find("debug");
        if (debug == members.end()) continue;
        const auto& info = debug->second.struct_value().fields();
        const auto name = info.find("reason");
        if (name != info.end()) reason = name->second.string_value();
      }
    }
  }
  return Refusal(ErrorOf(answer.status, reason), text);
}

absl::StatusOr<HttpRequest> CallFor(const HttpRequest& request,
                                    const PrometheusRequest& parsed) {
  HttpRequest call{.method = "POST",
                   .path = kQueryMethod,
                   .peer = request.peer,
                   .from_proxy = request.from_proxy};
  ASSIGN_OR_RETURN(call.body, PrintJson(parsed.call));
  for (const std::string_view name : kCallHeaders) {
    const std::string* value = request.headers.Find(name);
    if (value != nullptr) call.headers.Set(name, *value);
  }
  call.headers.Set("content-type", "application/json");
  if (parsed.timeout) {
    const absl::Duration timeout = std::min(*parsed.timeout, kMaxCallTime);
    call.headers.Set("connect-timeout-ms",
                     absl::StrCat(absl::ToInt64Milliseconds(timeout)));
  }
  return call;
}

}  // namespace

bool PrometheusHandler::Handles(const HttpRequest& request) {
  return request.path.starts_with(kPrometheusPath) &&
         (request.method == "GET" || request.method == "POST");
}

HttpResponse PrometheusHandler::Answer(const HttpRequest& request,
                                       const std::string& request_id) const {
  if (!IsScript(request.headers)) {
    return Refusal(ErrorOf(401, ""),
                   "expected the header \"Authorization: Bearer\" with an "
                   "access token of Carme");
  }
  const auto result = ParsePrometheusRequest(request, absl::Now());
  if (const auto* error = std::get_if<HttpError>(&result)) {
    return Refusal(ErrorOf(error->status, ""), error->message);
  }
  const auto& parsed = std::get<PrometheusRequest>(result);
  const absl::StatusOr<HttpRequest> call = CallFor(request, parsed);
  if (!call.ok()) {
    return Refusal(ErrorOf(400, ""), "malformed parameter");
  }
  const HttpResponse answer = gateway_.Answer(*call, request_id);
  if (answer.status != 200) return RefusalOf(answer);
  v1::QueryPrometheusResponse response;
  if (const absl::Status read = ParseJson(answer.body, &response);
      !read.ok() || response.data_json().empty()) {
    LogError("invalid answer of carme-metrics", {{"request", request_id}});
    return Refusal(ErrorOf(500, ""), "invalid answer of the metrics database");
  }
  return JsonResponse(
      200, absl::StrCat("{\"status\":\"success\",\"data\":",
                        parsed.fixed_data.empty() ? response.data_json()
                                                  : parsed.fixed_data,
                        "}"));
}

}  // namespace carme::frontend
