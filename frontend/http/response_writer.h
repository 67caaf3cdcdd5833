// Writes responses to one connection.
//
// Not thread-safe. After a failed write, all further ones fail.
#ifndef CARME_FRONTEND_HTTP_RESPONSE_WRITER_H_
#define CARME_FRONTEND_HTTP_RESPONSE_WRITER_H_

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// The status line and the fields. Adds Content-Length or, for a stream,
// Transfer-Encoding, and Connection if `close`. Fields with control characters
// are dropped, because they could end the head.
std::string ResponseHeadText(const HttpResponse& response, bool close);

class ResponseWriter {
 public:
  // `socket` is non-blocking and outlives the writer. `stop` becomes readable
  // when the server stops; it ends streams. `timeout`: how long the client may
  // accept no bytes.
  ResponseWriter(int socket, int stop, absl::Duration timeout)
      : socket_(socket), stop_(stop), timeout_(timeout) {}

  // Blocks, for a stream until it ends. Returns false if the client has
  // disconnected or accepts no bytes.
  bool Write(const HttpResponse& response, bool has_body, bool close);

 private:
  class ChunkedStream;
  bool Send(std::string_view bytes, int flags);

  const int socket_;
  const int stop_;
  const absl::Duration timeout_;
  bool broken_ = false;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_RESPONSE_WRITER_H_
