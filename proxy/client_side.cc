#include "proxy/client_side.h"

#include "proxy/body_progress.h"

namespace carme::proxy {

void Http1Client::AppendContinue(std::string* out) {
  out->append("HTTP/1.1 100 Continue\r\n\r\n");
}

void Http1Client::AppendHead(const ResponseHead& head, Hop hop,
                             const BodyFraming& body, bool close,
                             std::string* out) {
  AppendResponse(head, hop, body, close, out);
}

void Http1Client::AppendEnd(bool chunked, std::string_view trailers,
                            std::string* out) {
  if (chunked) AppendLastChunk(trailers, out);
}

}  // namespace carme::proxy
