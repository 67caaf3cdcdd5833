// An HTTP request that was read whole, and the answer to it: values without a
// socket, so that what decides can be tested without one.
#ifndef CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_
#define CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carme::frontend {

// Each name once, in lower case; the reader refuses a request that repeats one.
class HttpHeaders {
 public:
  // False when the name is there already.
  bool Add(std::string name, std::string value);
  // Null when absent. `name` is in lower case.
  const std::string* Find(std::string_view name) const;
  // Empty when absent.
  std::string_view Get(std::string_view name) const;
  // Whether any name begins so.
  bool HasPrefix(std::string_view prefix) const;
  size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct HttpRequest {
  std::string method;  // "POST"
  std::string path{};  // as it was sent, without the query
  HttpHeaders headers{};
  std::string body{};
  std::string peer{};  // literal address of the connection's other end
};

// Why a request is not served: an HTTP status and one safe sentence.
struct HttpError {
  int status = 400;
  std::string message;
};

// Where a streamed body goes. Used by one thread.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // Sends at once. False: the client is gone. Blocks for the write time-out.
  virtual bool Write(std::string_view bytes) = 0;
  // Whether there is no sense in going on: the client hung up, or the server
  // stops. Never blocks.
  virtual bool Ended() = 0;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  // When set, writes the body in place of `body`; runs once, in the
  // connection's thread, after the headers were sent.
  std::function<void(HttpStream&)> stream = nullptr;

  void Set(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
  }
};

// What a server does with requests. Both are called by many threads at once.
struct HttpHandlers {
  std::function<HttpResponse(const HttpRequest&)> answer;
  // For a request that could not be read; there is nothing but the error.
  std::function<HttpResponse(const HttpError&)> refuse;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_HTTP_MESSAGE_H_
