// The portal: routes each request to the gateway or to the web application, and
// adds the headers that every response must have.
//
// Thread-safe. Its parts must outlive it.
#ifndef CARME_FRONTEND_FRONTEND_H_
#define CARME_FRONTEND_FRONTEND_H_

#include <string>

#include "absl/time/time.h"
#include "common/metrics/operation_meter.h"
#include "frontend/batch_handler.h"
#include "frontend/calendar_handler.h"
#include "frontend/gateway/gateway.h"
#include "frontend/http/http_message.h"
#include "frontend/http/portal_origin.h"
#include "frontend/prometheus_handler.h"
#include "frontend/static_site.h"

namespace carme::frontend {

class Frontend {
 public:
  Frontend(const PortalOrigin& portal, const Gateway* gateway,
           const StaticSite* site)
      : portal_(portal),
        gateway_(gateway),
        site_(site),
        calendars_(gateway),
        prometheus_(gateway) {}

  HttpResponse Answer(const HttpRequest& request) const;
  HttpResponse Refuse(const HttpError& error) const;

  // Requests by route and class of status.
  const OperationMeter& requests() const { return requests_; }

  // The handlers refer to this object.
  HttpHandlers Handlers() const;

 private:
  void Count(const HttpRequest& request, const HttpResponse& response,
             absl::Duration duration) const;
  HttpResponse Route(const HttpRequest& request,
                     const std::string& request_id) const;
  HttpResponse AnswerBatch(const HttpRequest& request,
                           const std::string& request_id) const;
  HttpResponse AnswerPage(const HttpRequest& request,
                          const std::string& request_id) const;

  const PortalOrigin portal_;
  const Gateway* const gateway_;
  const StaticSite* const site_;
  const BatchHandler batches_;
  const CalendarHandler calendars_;
  const PrometheusHandler prometheus_;
  mutable OperationMeter requests_{{"page", "call", "stream", "invalid"},
                                   {"2xx", "3xx", "4xx", "5xx"}};
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_FRONTEND_H_
