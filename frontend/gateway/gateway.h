// Translates between Connect (browser) and gRPC (backend). Everything about a
// method comes from its descriptor.
//
// Thread-safe. Its parts must outlive it.
#ifndef CARME_FRONTEND_GATEWAY_GATEWAY_H_
#define CARME_FRONTEND_GATEWAY_GATEWAY_H_

#include <string>

#include "frontend/backend/backend_channel.h"
#include "frontend/gateway/method_table.h"
#include "frontend/gateway/stream_slots.h"
#include "frontend/http/http_message.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

class Gateway {
 public:
  Gateway(const PortalOrigin& portal, const MethodTable* methods,
          BackendChannel* backend, StreamSlots* slots)
      : portal_(portal), methods_(methods), backend_(backend), slots_(slots) {}

  // Handles a POST. Blocks for the duration of a unary call. A streaming call
  // runs in `stream` of the response.
  HttpResponse Answer(const HttpRequest& request,
                      const std::string& request_id) const;

 private:
  HttpResponse AnswerUnary(const Method& method, const HttpRequest& request,
                           const std::string& request_id) const;
  HttpResponse AnswerStream(const Method& method, const HttpRequest& request,
                            const std::string& request_id) const;
  absl::Status RunStream(const Method& method, const BackendCall& call,
                         const std::string& message, HttpStream* out) const;

  const PortalOrigin portal_;
  const MethodTable* const methods_;
  BackendChannel* const backend_;
  StreamSlots* const slots_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_GATEWAY_H_
