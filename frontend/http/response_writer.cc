#include "frontend/http/response_writer.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/http1/body.h"
#include "common/http1/field.h"
#include "frontend/http/socket_wait.h"

namespace carme::frontend {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 20> kReasons = {{
    {200, "OK"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
}};

// Empty for other statuses, which RFC 9112 section 4 allows.
std::string_view ReasonOf(int status) {
  for (const auto& [known, reason] : kReasons) {
    if (known == status) return reason;
  }
  return "";
}

}  // namespace

std::string ResponseHeadText(const HttpResponse& response, bool close) {
  std::string head =
      absl::StrCat("HTTP/1.1 ", response.status, " ",
                   std::string(ReasonOf(response.status)), "\r\n");
  const auto add = [&head](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& [name, value] : response.headers) {
    if (IsToken(name) && !HasControl(value)) add(name, value);
  }
  if (response.stream) {
    add("Transfer-Encoding", "chunked");
  } else if (response.status != 304) {
    add("Content-Length", absl::StrCat(response.body.size()));
  }
  if (close) add("Connection", "close");
  return head.append("\r\n");
}

class ResponseWriter::ChunkedStream : public HttpStream {
 public:
  explicit ChunkedStream(ResponseWriter* writer) : writer_(*writer) {}

  bool Write(std::string_view bytes) override {
    std::string chunk;
    AppendChunk(bytes, &chunk);
    return writer_.Send(chunk, 0);
  }
  bool Ended() override {
    return writer_.broken_ ||
           WaitForEvents(writer_.socket_, POLLRDHUP, absl::ZeroDuration()) ||
           WaitForEvents(writer_.stop_, POLLIN, absl::ZeroDuration());
  }

 private:
  ResponseWriter& writer_;
};

bool ResponseWriter::Write(const HttpResponse& response, bool has_body,
                           bool close) {
  const std::string head = ResponseHeadText(response, close);
  if (!has_body) return Send(head, 0);
  if (!response.stream) {
    return Send(head, response.body.empty() ? 0 : MSG_MORE) &&
           Send(response.body, 0);
  }
  if (!Send(head, 0)) return false;
  ChunkedStream stream(this);
  response.stream(stream);
  return Send(kLastChunk, 0);
}

bool ResponseWriter::Send(std::string_view bytes, int flags) {
  while (!bytes.empty() && !broken_) {
    const ssize_t sent =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | flags);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EINTR) {
      broken_ = errno != EAGAIN || !WaitForEvents(socket_, POLLOUT, timeout_);
    }
  }
  return !broken_;
}

}  // namespace carme::frontend
