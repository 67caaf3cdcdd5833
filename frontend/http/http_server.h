// Accepts connections and serves each in its own thread. Beyond max_connections
// it responds 503 and closes.
//
// Start() and Stop() must be called from one thread.
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
  // Starts to serve. `listening` is a socket from ListenTcp.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      UniqueFd listening, const ServerOptions& options, HttpHandlers handlers);
  ~HttpServer() { Stop(); }

  // Stops accepting, closes idle connections, finishes running requests and
  // ends streams. Blocks until all connections are closed.
  void Stop();

 private:
  HttpServer(UniqueFd listening, UniqueFd stop, const ServerOptions& options,
             HttpHandlers handlers);
  void AcceptUntilStopped();
  void Serve(UniqueFd socket);

  UniqueFd listening_;
  const UniqueFd stop_;  // an eventfd; stays readable once stopping
  const ServerOptions options_;
  const HttpHandlers handlers_;
  ConnectionThreads threads_;
  std::thread accepting_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_SERVER_H_
