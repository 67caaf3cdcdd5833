#include "slurm-hooks/files/exchange.h"

#include <sys/sendfile.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/printable.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/web_app/http_rules.h"
#include "slurm-hooks/web_app/json.h"

namespace carme::files {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr size_t kMaxHeadBytes = 32 * 1024;  // three paths and cookies
// More than a part of an upload, so that the page gets the refusal of one.
constexpr uint64_t kMaxDiscardedBytes = 64 << 20;
constexpr size_t kMaxSendfileBytes = 1 << 20;

// CodeMirror writes its colours as <style> elements, hence 'unsafe-inline' for
// styles; scripts come from this program alone.
constexpr char kContentSecurityPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob:; media-src 'self' blob:; frame-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

beast::string_view BeastView(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Exchange::Exchange(SocketStream* stream, beast::flat_buffer* buffer)
    : stream_(stream), buffer_(buffer) {
  parser_.header_limit(kMaxHeadBytes);
  // The disk is the limit. Beast 1.74 takes boost::none for 0.
  parser_.body_limit(std::numeric_limits<uint64_t>::max());
}

bool Exchange::ReadHead() {
  boost::system::error_code error;
  http::read_header(*stream_, *buffer_, parser_, error);
  if (!error) return true;
  const bool invalid =
      error.category() ==
          http::make_error_code(http::error::end_of_stream).category() &&
      error != http::error::end_of_stream &&
      error != http::error::partial_message;
  if (invalid) {
    Response response = MakeResponse(400, {{"Connection", "close"}});
    response.content_length(0);
    http::write(*stream_, response, error);
  }
  return false;
}

std::string_view Exchange::target() const {
  const auto target = parser_.get().target();
  return {target.data(), target.size()};
}

std::optional<std::string> Exchange::Header(std::string_view name) const {
  if (parser_.get().count(BeastView(name)) != 1) return std::nullopt;
  return std::string(parser_.get()[BeastView(name)]);
}

bool Exchange::HasOwnOrigin() const {
  return web_app::HasOwnOrigin(parser_.get());
}

std::optional<uint64_t> Exchange::ContentLength() const {
  if (parser_.chunked()) return std::nullopt;
  const auto length = parser_.content_length();
  return length ? std::optional<uint64_t>(*length) : 0;
}

absl::StatusOr<size_t> Exchange::ReadBody(char* data, size_t size) {
  if (parser_.is_done()) return 0;
  boost::system::error_code error;
  if (!continue_sent_ &&
      beast::iequals(parser_.get()[http::field::expect], "100-continue")) {
    if (!WriteAll("HTTP/1.1 100 Continue\r\n\r\n")) {
      return absl::UnavailableError("the connection was lost");
    }
  }
  continue_sent_ = true;
  auto& body = parser_.get().body();
  body.data = data;
  body.size = size;
  http::read(*stream_, *buffer_, parser_, error);
  const size_t received = size - body.size;
  if (error && error != http::error::need_buffer && received == 0) {
    return absl::UnavailableError(
        absl::StrCat("the connection was lost: ", error.message()));
  }
  return received;
}

Exchange::Response Exchange::MakeResponse(unsigned status,
                                          const Headers& headers) const {
  Response response(static_cast<http::status>(status), 11);
  web_app::SetSecurityHeaders(&response, kContentSecurityPolicy);
  response.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : headers)
    response.set(BeastView(name), value);
  return response;
}

bool Exchange::WriteAll(std::string_view bytes) {
  boost::system::error_code error;
  while (!bytes.empty() && !error) {
    bytes.remove_prefix(stream_->write_some(
        boost::asio::const_buffer(bytes.data(), bytes.size()), error));
  }
  return !error;
}

void Exchange::Send(unsigned status, std::string body, std::string_view type,
                    const Headers& headers) {
  const bool whole = DiscardBody();
  Response response = MakeResponse(status, headers);
  if (!type.empty()) response.set(http::field::content_type, BeastView(type));
  if (status != 204) response.content_length(body.size());
  response.keep_alive(whole && parser_.get().keep_alive());
  boost::system::error_code error;
  http::serializer<false, http::empty_body> serializer(response);
  http::write_header(*stream_, serializer, error);
  const bool has_body = method() != http::verb::head;
  keep_alive_ =
      !error && (!has_body || WriteAll(body)) && response.keep_alive();
}

void Exchange::SendError(const absl::Status& error, std::string_view fields) {
  const ErrorCode code = ErrorCodeOf(error);
  Send(code.http_status,
       absl::StrCat("{\"code\":\"", std::string(code.name), "\",\"error\":",
                    web_app::JsonString(ValidUtf8(std::string_view(
                        error.message().data(), error.message().size()))),
                    std::string(fields), "}"));
}

void Exchange::SendFile(unsigned status, int fd, uint64_t offset, uint64_t size,
                        const Headers& headers) {
  Response response = MakeResponse(status, headers);
  response.content_length(size);
  response.keep_alive(DiscardBody() && parser_.get().keep_alive());
  boost::system::error_code error;
  http::serializer<false, http::empty_body> serializer(response);
  http::write_header(*stream_, serializer, error);
  if (error) return;
  auto position = static_cast<off_t>(offset);
  while (size > 0) {
    if (!stream_->Await(POLLOUT)) return;
    const ssize_t sent = sendfile(stream_->fd(), fd, &position,
                                  std::min<uint64_t>(size, kMaxSendfileBytes));
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return;  // the file has become shorter
    size -= static_cast<uint64_t>(sent);
  }
  keep_alive_ = response.keep_alive();
}

bool Exchange::BeginChunks(const Headers& headers) {
  Response response = MakeResponse(200, headers);
  response.chunked(true);
  response.keep_alive(DiscardBody() && parser_.get().keep_alive());
  boost::system::error_code error;
  http::serializer<false, http::empty_body> serializer(response);
  http::write_header(*stream_, serializer, error);
  return !error;
}

bool Exchange::WriteChunk(std::string_view chunk) {
  return WriteAll(absl::StrCat(absl::Hex(chunk.size()), "\r\n")) &&
         WriteAll(chunk) && WriteAll("\r\n");
}

bool Exchange::DiscardBody() {
  char rest[16 * 1024];
  uint64_t discarded = 0;
  if (!continue_sent_ && parser_.get().count(http::field::expect) > 0) {
    return parser_.is_done();  // the client waits, and may send no body
  }
  while (!parser_.is_done()) {
    const auto size = ReadBody(rest, sizeof rest);
    if (!size.ok()) return false;
    discarded += *size;
    if (discarded > kMaxDiscardedBytes) return false;
  }
  return true;
}

}  // namespace carme::files
