// The frontend's HTTP server: httplib::Server (cpp-httplib) through its public
// API, with limits that the library lacks. Each connection serves one request.
// Beyond max_connections it responds 503.
// docs/adr/0118-frontend-http-server.md: what the library does, and what
// answers it here.
//
// Start() and Stop() must be called from one thread.
#ifndef CARME_FRONTEND_HTTP_HTTP_SERVER_H_
#define CARME_FRONTEND_HTTP_HTTP_SERVER_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "frontend/http/connection_threads.h"
#include "frontend/http/http_message.h"

namespace httplib {
class ContentReader;
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace carme::frontend {

struct ServerOptions {
  int max_connections = 512;  // each uses a thread
  // Before the first byte, in whole seconds. Stop() may take as long.
  absl::Duration idle_timeout = absl::Seconds(2);
  // Between two reads.
  absl::Duration read_timeout = absl::Seconds(10);
  // For a whole body. A read may begin just before its end.
  absl::Duration body_timeout = absl::Seconds(20);
  // Closes the connection if the client accepts no bytes for this long.
  absl::Duration write_timeout = absl::Seconds(10);
};

class HttpServer {
 public:
  // Listens on "host:port" (a literal address; port 0: any free port) and
  // serves. INVALID_ARGUMENT, or bind's error.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const std::string& address, const ServerOptions& options,
      HttpHandlers handlers);
  ~HttpServer();

  // Ends streams, finishes running requests, refuses new ones meanwhile, and
  // stops listening. Blocks until all connections are closed.
  void Stop();

  int port() const { return port_; }

 private:
  enum class State { kStarting, kAccepting, kEnded };

  HttpServer(std::string host, const ServerOptions& options,
             HttpHandlers handlers);
  void Configure();
  absl::Status Listen(int port);
  void AcceptUntilStopped();
  // False: Stop() was called.
  bool ListenAgain();
  bool HasStarted() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return state_ != State::kStarting;
  }

  // In a connection's thread.
  void Serve(const httplib::Request& parsed, httplib::Response* out,
             const httplib::ContentReader* reader);
  void Refuse(const httplib::Request& parsed, const HttpError& error,
              httplib::Response* out);
  void Send(HttpResponse response, httplib::Response* out);

  const std::string host_;
  const ServerOptions options_;
  const HttpHandlers handlers_;
  int port_ = 0;
  int listening_ = -1;  // owned by server_
  ConnectionThreads threads_;
  std::unique_ptr<httplib::Server> server_;
  absl::Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kStarting;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread accepting_;  // last: uses the other members
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_SERVER_H_
