// The gateway: Connect on one side, gRPC on the other. Everything it knows of
// a method is in the method's descriptor.
//
// Thread-safe. The parts it is made of outlive it.
#ifndef CARME_FRONTEND_GATEWAY_GATEWAY_H_
#define CARME_FRONTEND_GATEWAY_GATEWAY_H_

#include <string>

#include "frontend/backend/backend_channel.h"
#include "frontend/http/http_message.h"
#include "frontend/gateway/method_table.h"
#include "frontend/http/portal_origin.h"
#include "frontend/gateway/stream_slots.h"

namespace carme::frontend {

class Gateway {
 public:
  Gateway(const PortalOrigin& portal, const MethodTable* methods,
          BackendChannel* backend, StreamSlots* slots)
      : portal_(portal), methods_(methods), backend_(backend), slots_(slots) {}

  // Answers a POST. Blocks for the length of a unary call; a stream's call
  // runs in the answer's `stream`.
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
