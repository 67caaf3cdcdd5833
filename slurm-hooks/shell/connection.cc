#include "slurm-hooks/shell/connection.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/shell/terminal_watch.h"
#include "slurm-hooks/web_app/http_rules.h"
#include "slurm-hooks/web_app/page_assets.h"

namespace carme::shell {
namespace {

namespace http = beast::http;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr size_t kMaxHeadBytes = 16 * 1024;
// Longer than the proxy keeps an idle connection.
constexpr auto kIdle = std::chrono::seconds(90);

// xterm.js writes its colours and sizes as <style> elements, hence
// 'unsafe-inline' for styles; scripts come from this program alone.
constexpr char kContentSecurityPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

Response Answer(const Request& request, http::status status, std::string body,
                std::string_view type = "text/plain; charset=utf-8") {
  Response response(status, request.version());
  web_app::SetSecurityHeaders(&response, kContentSecurityPolicy);
  response.set(http::field::cache_control, "no-store");
  response.set(http::field::content_type,
               beast::string_view(type.data(), type.size()));
  response.keep_alive(request.keep_alive());
  response.body() = std::move(body);
  response.prepare_payload();
  return response;
}

Response AnswerPage(const Request& request, const web_app::PageAsset& asset) {
  Response response =
      Answer(request, http::status::ok, std::string(asset.bytes), asset.type);
  // File names change with their content; the page refers to them.
  response.set(
      http::field::cache_control,
      asset.path == "/" ? "no-cache" : "public, max-age=31536000, immutable");
  return response;
}

std::string_view TargetOf(const Request& request) {
  return {request.target().data(), request.target().size()};
}

Response AnswerGet(const Request& request, const Terminals& terminals) {
  const std::string_view target = TargetOf(request);
  if (target == "/ready") return Answer(request, http::status::ok, "ready\n");
  if (target == "/api/terminals") {
    return Answer(request, http::status::ok, terminals.ListJson(),
                  "application/json");
  }
  if (const web_app::PageAsset* asset = web_app::FindPageAsset(target)) {
    return AnswerPage(request, *asset);
  }
  return Answer(request, http::status::not_found, "no such page\n");
}

// The response to a rejected request for a terminal.
std::optional<Response> Refuse(const Request& request,
                               const std::optional<TerminalTarget>& target) {
  if (!target.has_value()) {
    return Answer(request, http::status::bad_request,
                  "expected /terminals/NAME or /terminals/NAME?from=N, NAME 1 "
                  "to 32 of [a-z0-9-]\n");
  }
  if (!beast::websocket::is_upgrade(request)) {
    Response response = Answer(request, http::status::upgrade_required,
                               "a terminal is a websocket\n");
    response.set(http::field::upgrade, "websocket");
    return response;
  }
  if (!web_app::HasOwnOrigin(request)) {
    return Answer(request, http::status::forbidden,
                  "expected the header Origin to be https:// and Host\n");
  }
  return std::nullopt;
}

http::status StatusOf(const boost::system::error_code& error) {
  if (error == http::error::header_limit ||
      error == http::error::buffer_overflow) {
    return http::status::request_header_fields_too_large;
  }
  return error == http::error::unexpected_body ? http::status::payload_too_large
                                               : http::status::bad_request;
}

class Connection {
 public:
  Connection(asio::local::stream_protocol::socket socket, Terminals& terminals)
      : stream_(std::move(socket)), terminals_(terminals) {}

  asio::awaitable<void> Serve() {
    bool goes_on = true;
    while (goes_on) {
      http::request_parser<http::empty_body> parser;
      parser.header_limit(kMaxHeadBytes);
      stream_.expires_after(kIdle);
      boost::system::error_code error;
      co_await http::async_read(stream_, buffer_, parser, Into(error));
      if (error.category() ==
              http::make_error_code(http::error::end_of_stream).category() &&
          error != http::error::end_of_stream &&
          error != http::error::partial_message) {
        Response refusal = Answer({}, StatusOf(error), error.message() + "\n");
        refusal.keep_alive(false);
        co_await Send(std::move(refusal));
        co_return;
      }
      if (error) co_return;
      goes_on = co_await Handle(parser.release());
    }
  }

 private:
  // Returns whether another request may follow.
  asio::awaitable<bool> Handle(Request request) {
    if (request.method() != http::verb::get) {
      Response refusal = Answer(request, http::status::method_not_allowed,
                                "only GET is served\n");
      refusal.set(http::field::allow, "GET");
      co_return co_await Send(std::move(refusal));
    }
    if (!IsTerminalPath(TargetOf(request))) {
      co_return co_await Send(AnswerGet(request, terminals_));
    }
    const auto target = ParseTerminalTarget(TargetOf(request));
    if (auto refusal = Refuse(request, target)) {
      co_return co_await Send(*std::move(refusal));
    }
    const auto terminal = terminals_.Open(*target);
    if (!terminal.ok()) {
      co_return co_await Send(
          Answer(request, http::status::service_unavailable,
                 absl::StrCat(terminal.status().message(), "\n")));
    }
    stream_.expires_never();  // the websocket has time limits of its own
    co_await WatchTerminal(std::move(stream_), std::move(request), *terminal,
                           target->from);
    co_return false;
  }

  asio::awaitable<bool> Send(Response response) {
    boost::system::error_code error;
    co_await http::async_write(stream_, response, Into(error));
    co_return !error && response.keep_alive();
  }

  LocalStream stream_;
  beast::flat_buffer buffer_{2 * kMaxHeadBytes};
  Terminals& terminals_;
};

}  // namespace

asio::awaitable<void> ServeConnection(
    asio::local::stream_protocol::socket socket, Terminals& terminals) {
  Connection connection(std::move(socket), terminals);
  co_await connection.Serve();
}

}  // namespace carme::shell
