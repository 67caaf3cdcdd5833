// Prometheus' HTTP API for programs that read it, such as Grafana:
// GET and POST /prometheus/api/v1/…, over the caller's own jobs. The caller is
// the owner of the access token; cookies are ignored.
//
// Thread-safe.
#ifndef CARME_FRONTEND_PROMETHEUS_HANDLER_H_
#define CARME_FRONTEND_PROMETHEUS_HANDLER_H_

#include <string>

#include "frontend/gateway/gateway.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

class PrometheusHandler {
 public:
  // `gateway` must outlive the object.
  explicit PrometheusHandler(const Gateway* gateway) : gateway_(*gateway) {}

  static bool Handles(const HttpRequest& request);

  // REQUIRES: Handles(). Blocks for one call of the gateway. Errors have
  // Prometheus' form.
  HttpResponse Answer(const HttpRequest& request,
                      const std::string& request_id) const;

 private:
  const Gateway& gateway_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_PROMETHEUS_HANDLER_H_
