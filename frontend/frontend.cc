#include "frontend/frontend.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "common/log.h"
#include "frontend/gateway/connect_error.h"
#include "frontend/gateway/request_checks.h"
#include "frontend/http/security_headers.h"

namespace carme::frontend {
namespace {

// A monitor on this machine, not a request forwarded by the proxy.
bool IsLocal(const HttpRequest& request) {
  return (request.peer == "127.0.0.1" || request.peer == "::1") &&
         !request.headers.HasPrefix("x-forwarded-");
}

HttpResponse Healthy() {
  HttpResponse response{.body = "ok\n"};
  response.Set("Content-Type", "text/plain");
  response.Set("Cache-Control", "no-store");
  return response;
}

HttpResponse NotFound(const StaticSite& site, const HttpRequest& request,
                      const std::string& request_id) {
  const std::string accept(request.headers.Get("accept"));
  if (absl::StrContains(accept, "text/html")) {
    if (auto page = site.NotFound(request)) return *std::move(page);
  }
  return ErrorResponse(HttpError{404, "page not found"}, request_id);
}

// The kinds of requests(). Its results are 2xx to 5xx.
enum RouteKind : size_t { kPage, kCall, kStream, kInvalid };
size_t StatusClass(int status) {
  return static_cast<size_t>(std::clamp(status / 100, 2, 5) - 2);
}

void Complete(const std::string& request_id, HttpResponse* response) {
  AddSecurityHeaders(response);
  response->Set("X-Request-Id", request_id);
  // RFC 9110 section 5.6.7.
  response->Set("Date", absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT",
                                         absl::Now(), absl::UTCTimeZone()));
}

}  // namespace

HttpResponse Frontend::Answer(const HttpRequest& request) const {
  const absl::Time began = absl::Now();
  const std::string request_id = RequestIdOf(request.headers);
  HttpResponse response = Route(request, request_id);
  Complete(request_id, &response);
  Count(request, response, absl::Now() - began);
  return response;
}

void Frontend::Count(const HttpRequest& request, const HttpResponse& response,
                     absl::Duration duration) const {
  const size_t status = StatusClass(response.status);
  if (response.stream != nullptr) {
    requests_.CountWithoutDuration(kStream, status);
  } else {
    requests_.Count(request.method == "POST" ? kCall : kPage, status, duration);
  }
}

HttpResponse Frontend::Refuse(const HttpError& error) const {
  const std::string request_id = NewRequestId();
  LogInfo("request rejected", {{"request", request_id},
                               {"status", error.status},
                               {"error", error.message}});
  HttpResponse response = ErrorResponse(error, request_id);
  Complete(request_id, &response);
  requests_.CountWithoutDuration(kInvalid, StatusClass(response.status));
  return response;
}

HttpResponse Frontend::Route(const HttpRequest& request,
                             const std::string& request_id) const {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads && request.path == "/healthz" && IsLocal(request)) return Healthy();
  if (!request.from_proxy) {
    return ErrorResponse(HttpError{400, "expected a request from carme-proxy"},
                         request_id);
  }
  if (const auto error = CheckHost(portal_, request.headers)) {
    return ErrorResponse(*error, request_id);
  }
  if (PrometheusHandler::Handles(request)) {
    return prometheus_.Answer(request, request_id);
  }
  if (reads) return AnswerPage(request, request_id);
  if (request.method == "POST") {
    return request.path == kBatchPath ? AnswerBatch(request, request_id)
                                      : gateway_->Answer(request, request_id);
  }
  HttpResponse response =
      ErrorResponse(HttpError{405, "expected GET, HEAD or POST"}, request_id);
  response.Set("Allow", "GET, HEAD, POST");
  return response;
}

// Each call passes Answer(), so that it is checked and counted as one that is
// not in a batch. A batch cannot contain kBatchPath.
HttpResponse Frontend::AnswerBatch(const HttpRequest& request,
                                   const std::string& request_id) const {
  std::variant<CheckedBatch, HttpResponse> checked =
      gateway_->CheckBatch(request, request_id);
  if (auto* refused = std::get_if<HttpResponse>(&checked)) {
    return std::move(*refused);
  }
  auto& batch = std::get<CheckedBatch>(checked);
  return batches_.Answer(
      request, request_id, batch.session, std::move(batch.calls),
      [this](const HttpRequest& call) { return Answer(call); });
}

HttpResponse Frontend::AnswerPage(const HttpRequest& request,
                                  const std::string& request_id) const {
  if (request.path == kCalendarPath) {
    return calendars_.Answer(request, request_id);
  }
  std::optional<HttpResponse> page = site_->Answer(request);
  return page ? *std::move(page) : NotFound(*site_, request, request_id);
}

HttpHandlers Frontend::Handlers() const {
  return {[this](const HttpRequest& request) { return Answer(request); },
          [this](const HttpError& error) { return Refuse(error); }};
}

}  // namespace carme::frontend
