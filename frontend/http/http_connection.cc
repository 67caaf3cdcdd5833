#include "frontend/http/http_connection.h"

#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace carme::frontend {
namespace {

// Waits up to `wait` for `events` or an error.
bool Polls(int fd, short events, absl::Duration wait) {
  pollfd polled{.fd = fd, .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&polled, 1, static_cast<int>(wait / absl::Milliseconds(1)));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// The literal address of the peer; "" if unknown.
std::string PeerOf(int socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  std::array<char, NI_MAXHOST> text{};
  if (getpeername(socket, address, &length) != 0 ||
      getnameinfo(address, length, text.data(), text.size(), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "";
  }
  return text.data();
}

// The stream from which cpp-httplib reads a request and to which it writes the
// response. It reads a generated head, never the bytes of the client.
class AnswerStream : public httplib::Stream {
 public:
  AnswerStream(int socket, absl::Duration timeout, std::string head)
      : socket_(socket), timeout_(timeout), head_(std::move(head)) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return !broken_; }
  ssize_t read(char* to, size_t size) override {
    const size_t count = std::min(size, head_.size());
    std::memcpy(to, head_.data(), count);
    head_.erase(0, count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  const int socket_;
  const absl::Duration timeout_;
  std::string head_;
  bool broken_ = false;
};

ssize_t AnswerStream::write(const char* bytes, size_t size) {
  while (!broken_) {
    const ssize_t put = send(socket_, bytes, size, MSG_NOSIGNAL);
    if (put >= 0) return put;
    if (errno == EINTR) continue;
    broken_ = errno != EAGAIN || !Polls(socket_, POLLOUT, timeout_);
  }
  return -1;
}

class SinkStream : public HttpStream {
 public:
  SinkStream(httplib::DataSink* sink, int socket, int stop)
      : sink_(sink), socket_(socket), stop_(stop) {}

  bool Write(std::string_view bytes) override {
    return sink_->write(bytes.data(), bytes.size());
  }
  bool Ended() override {
    return Polls(socket_, POLLRDHUP, absl::ZeroDuration()) ||
           Polls(stop_, POLLIN, absl::ZeroDuration());
  }

 private:
  httplib::DataSink* const sink_;
  const int socket_;
  const int stop_;
};

// One server object per connection: accepting, reading and routing of
// cpp-httplib are not used.
class Connection : private httplib::Server {
 public:
  Connection(int socket, int stop, const ConnectionOptions& options,
             const HttpHandlers& handlers);
  void Serve();

 private:
  bool Send(const std::string& method, bool close, HttpResponse answer);
  void Give(httplib::Response& response);

  const int socket_;
  const int stop_;
  const std::string peer_;
  const ConnectionOptions options_;
  const HttpHandlers& handlers_;
  RequestReader reader_;
  HttpResponse answer_;
};

Connection::Connection(int socket, int stop, const ConnectionOptions& options,
                       const HttpHandlers& handlers)
    : socket_(socket),
      stop_(stop),
      peer_(PeerOf(socket)),
      options_(options),
      handlers_(handlers),
      reader_(socket, stop, options.read) {
  svr_sock_ = socket;  // an invalid socket makes the library end streams
  set_pre_routing_handler(
      [this](const httplib::Request&, httplib::Response& response) {
        Give(response);
        return HandlerResponse::Handled;
      });
  set_post_routing_handler(
      [](const httplib::Request&, httplib::Response& response) {
        response.headers.erase("Keep-Alive");
        response.headers.erase("Accept-Ranges");
        if (response.status == 304) response.headers.erase("Content-Length");
      });
  set_exception_handler([](const httplib::Request&, httplib::Response& response,
                           std::exception_ptr) { response.status = 500; });
}

void Connection::Give(httplib::Response& response) {
  response.status = answer_.status;
  for (auto& [name, value] : answer_.headers) {
    response.headers.emplace(name, std::move(value));
  }
  if (!answer_.stream) {
    response.body = std::move(answer_.body);
    return;
  }
  const std::string type = response.get_header_value("Content-Type");
  response.headers.erase("Content-Type");  // the next line adds it
  response.set_chunked_content_provider(
      type, [this](size_t, httplib::DataSink& sink) {
        SinkStream stream(&sink, socket_, stop_);
        answer_.stream(stream);
        sink.done();
        return true;
      });
}

bool Connection::Send(const std::string& method, bool close,
                      HttpResponse answer) {
  answer_ = std::move(answer);
  AnswerStream stream(
      socket_, options_.write_timeout,
      absl::StrCat(method == "HEAD" ? "HEAD" : "GET", " / HTTP/1.1\r\n\r\n"));
  bool closed = false;
  const bool sent = process_request(stream, close, closed, nullptr);
  answer_ = HttpResponse();
  return sent && stream.is_writable();
}

void Connection::Serve() {
  for (int left = options_.max_requests; left > 0; --left) {
    const ReadResult result = reader_.Next();
    if (result == ReadResult::kClosed) return;
    if (result == ReadResult::kRefused) {
      Send("GET", true, handlers_.refuse(reader_.error()));
      return;
    }
    HttpRequestHead& head = reader_.head();
    head.request.peer = peer_;
    const bool close =
        head.close || left == 1 || Polls(stop_, POLLIN, absl::ZeroDuration());
    HttpResponse answer = handlers_.answer(head.request);
    if (!Send(head.request.method, close, std::move(answer)) || close) return;
  }
}

// Closing a socket with unread bytes resets the connection, and the client may
// lose the response: read some of them first.
void Linger(int socket) {
  shutdown(socket, SHUT_WR);
  const absl::Time end = absl::Now() + absl::Milliseconds(500);
  std::array<char, 4096> bytes;
  for (int rounds = 0; rounds < 64 && absl::Now() < end; ++rounds) {
    if (!Polls(socket, POLLIN, absl::Milliseconds(100))) continue;
    if (recv(socket, bytes.data(), bytes.size(), 0) <= 0) return;
  }
}

}  // namespace

void ServeHttpConnection(UniqueFd socket, int stop,
                         const ConnectionOptions& options,
                         const HttpHandlers& handlers) {
  Connection(socket.get(), stop, options, handlers).Serve();
  Linger(socket.get());
}

}  // namespace carme::frontend
