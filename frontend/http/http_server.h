// Accepts connections and gives each one a thread, up to a cap; beyond it a
// connection is answered 503 and closed.
//
// Start() and Stop() belong to one thread.
#ifndef CARME_FRONTEND_HTTP_HTTP_SERVER_H_
#define CARME_FRONTEND_HTTP_HTTP_SERVER_H_

#include <memory>
#include <thread>

#include "absl/status/statusor.h"
#include "common/unique_fd.h"
#include "frontend/http/connection_threads.h"
#include "frontend/http/http_connection.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

struct ServerOptions {
  int max_connections = 512;
  ConnectionOptions connection = {};
};

class HttpServer {
 public:
  // Serves at once. `listening` is a socket as ListenTcp gives it.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      UniqueFd listening, const ServerOptions& options, HttpHandlers handlers);
  ~HttpServer() { Stop(); }

  // Accepts no more, closes silent connections, lets running requests finish
  // and tells streams to end. Blocks until all of that is done.
  void Stop();

 private:
  HttpServer(UniqueFd listening, UniqueFd stop, const ServerOptions& options,
             HttpHandlers handlers);
  void AcceptUntilStopped();
  void Take(UniqueFd socket);

  UniqueFd listening_;
  const UniqueFd stop_;  // an eventfd; readable for good once stopping
  const ServerOptions options_;
  const HttpHandlers handlers_;
  ConnectionThreadPool threads_;
  std::thread accepting_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_SERVER_H_
