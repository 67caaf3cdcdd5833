// A complete HTTP request and the response to it: values without a socket, so
// that the code that decides can be tested without one.
#ifndef CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_
#define CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carme::frontend {

// Each name once, in lower case: a request that repeats one is refused.
class HttpHeaders {
 public:
  // Returns false if the name is present.
  bool Add(std::string name, std::string value);
  // Adds the name or replaces its value. `name` is in lower case.
  void Set(std::string_view name, std::string value);
  // Null if absent. `name` is in lower case.
  const std::string* Find(std::string_view name) const;
  // Empty if absent.
  std::string_view Get(std::string_view name) const;
  // Whether a name starts with `prefix`.
  bool HasPrefix(std::string_view prefix) const;
  size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpRequest {
  std::string method;   // "POST"
  std::string path{};   // as received, without the query
  std::string query{};  // as received, without "?"; may have secrets
  HttpHeaders headers{};
  std::string body{};
  std::string peer{};  // literal address of the client
  // carme-proxy sent it, so that header values are those that its client sent.
  // Not a proof: a process on the proxy's host can imitate the proxy.
  bool from_proxy = false;
};

// Why a request is refused: an HTTP status and a message for the client.
struct HttpError {
  int status = 400;
  std::string message;
};

// The destination of a streamed body. Not thread-safe.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // Sends at once; blocks for up to the write time-out. Returns false if the
  // client has disconnected.
  virtual bool Write(std::string_view bytes) = 0;
  // Whether the client has disconnected or the server stops. Blocks, for up to
  // the write time-out, only while the client accepts no bytes.
  virtual bool Ended() = 0;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // If set, writes the body instead of `body`; runs at most once, in the
  // connection's thread, after the headers were sent. Not for a Content-Type
  // that the library compresses: text/*, JSON, XML, protobuf, SVG.
  std::function<void(HttpStream&)> stream = nullptr;

  void Set(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
  }
};

// Called by many threads at the same time.
struct HttpHandlers {
  std::function<HttpResponse(const HttpRequest&)> answer;
  // For a request that could not be read.
  std::function<HttpResponse(const HttpError&)> refuse;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_
