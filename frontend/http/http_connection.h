// Serves one HTTP connection until it ends.
#ifndef CARME_FRONTEND_HTTP_HTTP_CONNECTION_H_
#define CARME_FRONTEND_HTTP_HTTP_CONNECTION_H_

#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "frontend/http/http_message.h"
#include "frontend/http/request_reader.h"

namespace carme::frontend {

struct ConnectionOptions {
  ReadLimits read;
  // Closes the connection if the client accepts no bytes for this long.
  absl::Duration write_timeout = absl::Seconds(10);
  int max_requests = 10000;  // then the connection is closed
};

// Blocks until the client disconnects, sends an invalid request or is idle for
// too long, or until `stop` becomes readable. `socket` is connected and
// non-blocking. The handlers are called in this thread.
void ServeHttpConnection(UniqueFd socket, int stop,
                         const ConnectionOptions& options,
                         const HttpHandlers& handlers);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_CONNECTION_H_
