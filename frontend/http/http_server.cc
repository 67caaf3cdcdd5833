#include "frontend/http/http_server.h"

#include <httplib.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/http1/field.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/net/address.h"
#include "common/status.h"
#include "frontend/http/incoming_request.h"

namespace carme::frontend {
namespace {

// The library listens with a backlog of 5, too few for one connection a
// request.
constexpr int kBacklog = 512;
constexpr absl::Duration kListenAgainAfter = absl::Milliseconds(100);
// Matches any path, which the library has decoded. "." would exclude newlines.
constexpr char kAnyPath[] = "[\\s\\S]*";
// `reason` of a response that a handler made, as opposed to the library.
// Servers do not send it.
constexpr char kOwnResponse[] = "carme";

struct Timeout {
  time_t seconds;
  time_t microseconds;
};

Timeout Split(absl::Duration duration) {
  const int64_t all = absl::ToInt64Microseconds(duration);
  return {static_cast<time_t>(all / 1'000'000),
          static_cast<time_t>(all % 1'000'000)};
}

// The error of a request that the library refuses by itself.
HttpError LibraryError(int status) {
  switch (status) {
    case 414:
      return {414, "the address is too long"};
    case 416:
      return {416, "ranges are not supported"};
    case 500:
      return {500, "internal error"};
    default:
      return {400, "malformed request"};
  }
}

// Takes up to `length` bytes. False: they did not arrive in time.
bool ReadBody(const httplib::ContentReader& reader, size_t length,
              absl::Duration timeout, std::string* body) {
  const absl::Time deadline = absl::Now() + timeout;
  body->reserve(length);
  return reader([&](const char* bytes, size_t size) {
    if (absl::Now() > deadline || body->size() + size > length) return false;
    body->append(bytes, size);
    return true;
  });
}

// Gives the library's connections to the server's threads.
class TaskQueue : public httplib::TaskQueue {
 public:
  // void in older versions, then bool: whether the task was accepted.
  using Enqueued =
      decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));

  explicit TaskQueue(ConnectionThreads* threads) : threads_(*threads) {}
  Enqueued enqueue(std::function<void()> connection) override {
    threads_.Run(std::move(connection));
    return static_cast<Enqueued>(true);
  }
  void shutdown() override { threads_.DrainAll(); }

 private:
  ConnectionThreads& threads_;
};

class ChunkedStream : public HttpStream {
 public:
  ChunkedStream(httplib::DataSink* sink, const ConnectionThreads* threads)
      : sink_(*sink), threads_(*threads) {}

  bool Write(std::string_view bytes) override {
    if (!broken_) broken_ = !sink_.write(bytes.data(), bytes.size());
    return !broken_;
  }
  bool Ended() override {
    return broken_ || threads_.draining() || !sink_.is_writable();
  }
  bool broken() const { return broken_; }

 private:
  httplib::DataSink& sink_;
  const ConnectionThreads& threads_;
  bool broken_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const std::string& address, const ServerOptions& options,
    HttpHandlers handlers) {
  ASSIGN_OR_RETURN(const net::Address parsed, net::Address::Parse(address));
  auto server = absl::WrapUnique(
      new HttpServer(parsed.Ip(), options, std::move(handlers)));
  server->Configure();
  RETURN_IF_ERROR(server->Listen(parsed.port()));
  server->accepting_ =
      std::thread([raw = server.get()] { raw->AcceptUntilStopped(); });
  return server;
}

HttpServer::HttpServer(std::string host, const ServerOptions& options,
                       HttpHandlers handlers)
    : host_(std::move(host)),
      options_(options),
      handlers_(std::move(handlers)),
      threads_(options.max_connections),
      server_(std::make_unique<httplib::Server>()) {}

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Configure() {
  using Routed = httplib::Server::HandlerResponse;
  server_->new_task_queue = [this] {
    absl::MutexLock lock(&mutex_);
    if (!stopping_) threads_.Resume();
    state_ = State::kAccepting;
    return new TaskQueue(&threads_);
  };
  // The library parses bytes that a handler did not read as the next request,
  // and the proxy's users would share connections.
  server_->set_keep_alive_max_count(1);
  server_->set_keep_alive_timeout(
      static_cast<time_t>(options_.idle_timeout / absl::Seconds(1)));
  const Timeout read = Split(options_.read_timeout);
  server_->set_read_timeout(read.seconds, read.microseconds);
  const Timeout write = Split(options_.write_timeout);
  server_->set_write_timeout(write.seconds, write.microseconds);
  server_->set_payload_max_length(kMaxBodyBytes);
  server_->set_tcp_nodelay(true);
  // Instead of the library's SO_REUSEPORT, by which another process of this
  // user could take connections.
  server_->set_socket_options([this](int listening) {
    listening_ = listening;
    const int on = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });

  // Requests without a body are answered here, so that the library reads none
  // and does not match the path with a regular expression.
  server_->set_pre_routing_handler([this](const httplib::Request& parsed,
                                          httplib::Response& out) {
    if (parsed.method == "POST" && parsed.target.size() <= kMaxTargetBytes) {
      return Routed::Unhandled;
    }
    Serve(parsed, &out, nullptr);
    return Routed::Handled;
  });
  server_->Post(kAnyPath,
                [this](const httplib::Request& parsed, httplib::Response& out,
                       const httplib::ContentReader& reader) {
                  Serve(parsed, &out, &reader);
                });
  server_->set_exception_handler([this](const httplib::Request& parsed,
                                        httplib::Response& out,
                                        const std::exception_ptr&) {
    Refuse(parsed, LibraryError(500), &out);
  });
  server_->set_error_handler(httplib::Server::HandlerWithResponse(
      [this](const httplib::Request& parsed, httplib::Response& out) {
        if (out.reason == kOwnResponse) return Routed::Unhandled;
        Refuse(parsed, LibraryError(out.status), &out);
        return Routed::Handled;
      }));
  server_->set_post_routing_handler(
      [](const httplib::Request&, httplib::Response& out) {
        out.headers.erase("Accept-Ranges");
        // RFC 9110 section 8.6.
        if (out.status == 304) out.headers.erase("Content-Length");
      });
}

absl::Status HttpServer::Listen(int port) {
  errno = 0;
  if (!server_->bind_to_port(host_, port, AI_NUMERICHOST | AI_NUMERICSERV) ||
      listen(listening_, kBacklog) != 0) {
    return ErrnoError(errno != 0 ? errno : EADDRNOTAVAIL,
                      absl::StrCat("listen on \"", host_, "\", port ", port));
  }
  ASSIGN_OR_RETURN(port_, PortOf(listening_));
  return absl::OkStatus();
}

// The library stops listening after an error of accept(2), such as ENFILE.
void HttpServer::AcceptUntilStopped() {
  do {
    server_->listen_after_bind();
  } while (ListenAgain());
  absl::MutexLock lock(&mutex_);
  state_ = State::kEnded;
}

bool HttpServer::ListenAgain() {
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      if (stopping_) return false;
      state_ = State::kStarting;
      LogError("cannot accept connections, listening again",
               {{"address", host_}, {"port", port_}});
      if (mutex_.AwaitWithTimeout(absl::Condition(&stopping_),
                                  kListenAgainAfter)) {
        return false;
      }
    }
    // From version 0.16 on, the library's object does not listen twice.
    server_ = std::make_unique<httplib::Server>();
    Configure();
    const absl::Status listening = Listen(port_);
    if (listening.ok()) return true;
    LogError("cannot listen", {{"error", listening.ToString()}});
  }
}

void HttpServer::Stop() {
  if (!accepting_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    // Before it accepts, the library ignores stop().
    mutex_.Await(absl::Condition(this, &HttpServer::HasStarted));
  }
  // After stop(), the library sends no bodies.
  threads_.Drain();
  server_->stop();
  accepting_.join();
}

void HttpServer::Serve(const httplib::Request& parsed, httplib::Response* out,
                       const httplib::ContentReader* reader) {
  if (ConnectionThreads::MustRefuse()) {
    return Refuse(parsed,
                  {503, threads_.draining()
                            ? "the portal is restarting; try again"
                            : "too many connections; try again in a moment"},
                  out);
  }
  IncomingRequest incoming;
  if (const auto error = ConvertRequest(parsed, &incoming)) {
    return Refuse(parsed, *error, out);
  }
  HttpRequest& request = incoming.request;
  if (reader != nullptr && !ReadBody(*reader, incoming.content_length,
                                     options_.body_timeout, &request.body)) {
    return Refuse(parsed, {408, "the body took too long"}, out);
  }
  Send(handlers_.answer(request), out);
}

void HttpServer::Refuse(const httplib::Request& parsed, const HttpError& error,
                        httplib::Response* out) {
  HttpResponse response = handlers_.refuse(error);
  if (error.status == 503) response.Set("Retry-After", "2");
  // The library would apply the ranges to it.
  if (!parsed.ranges.empty()) response.body.clear();
  Send(std::move(response), out);
}

// Fields with control characters are dropped, because they could end the head.
// Bodies come from content providers, which the library does not compress.
void HttpServer::Send(HttpResponse response, httplib::Response* out) {
  out->status = response.status;
  out->reason = kOwnResponse;
  std::optional<std::string> type;
  for (auto& [name, value] : response.headers) {
    if (!IsToken(name) || HasControl(value)) continue;
    if (EqualsIgnoreCase(name, "content-type")) {
      type = std::move(value);
    } else {
      out->set_header(name, value);
    }
  }
  constexpr char kUnknownType[] = "application/octet-stream";
  if (response.stream) {
    const auto run = std::make_shared<std::function<void(HttpStream&)>>(
        std::move(response.stream));
    out->set_chunked_content_provider(
        type.value_or(kUnknownType),
        [this, run](size_t, httplib::DataSink& sink) {
          ChunkedStream stream(&sink, &threads_);
          (*run)(stream);
          sink.done();
          return !stream.broken();
        });
  } else if (!response.body.empty()) {
    const auto body = std::make_shared<std::string>(std::move(response.body));
    out->set_content_provider(
        body->size(), type.value_or(kUnknownType),
        [body](size_t offset, size_t length, httplib::DataSink& sink) {
          return sink.write(body->data() + offset, length);
        });
  } else if (type) {
    out->set_header("Content-Type", *type);
  }
}

}  // namespace carme::frontend
