#include "tests/slurm-hooks/files/files_app.h"

#include <signal.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <catch2/catch.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::files {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;

bool Responds(const FilesApp& app) {
  asio::io_context io;
  Local::socket socket(io);
  boost::system::error_code error;
  socket.connect(Local::endpoint(app.socket()), error);
  return !error;
}

}  // namespace

FilesApp::FilesApp() {
  auto started = node::ChildProcess::Start(
      {.arguments = {CARME_FILES, "--socket", socket(), "--scratch", "",
                     "--place", "Data=/usr"},
       .environment = {"PATH=/usr/bin:/bin", "USER=ada",
                       absl::StrCat("HOME=", home())},
       .directory = "/"});
  REQUIRE_THAT(started, IsOk());
  process_ = *started;
  REQUIRE(testing::WaitFor([this] { return Responds(*this); }));
}

FilesApp::~FilesApp() {
  Terminate();
  if (!AwaitEnd().has_value()) process_->Signal(SIGKILL);
}

FilesApp::Response FilesApp::Request(const std::string& method,
                                     const std::string& target,
                                     const std::string& body,
                                     const Headers& headers) const {
  asio::io_context io;
  Local::socket connection(io);
  connection.connect(Local::endpoint(socket()));
  http::request<http::string_body> request(http::string_to_verb(method), target,
                                           11, body);
  request.set(http::field::host, "job.test");
  if (method != "GET") request.set(http::field::origin, "https://job.test");
  for (const auto& [name, value] : headers) request.set(name, value);
  request.prepare_payload();
  boost::system::error_code error;
  http::write(connection, request, error);  // a refusal may come earlier
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(uint64_t{1} << 30);
  http::read(connection, buffer, parser, error);
  INFO(method << " " << target << ": " << error.message());
  REQUIRE(!error);
  return parser.release();
}

std::string FilesApp::Exchange(const std::string& bytes) const {
  asio::io_context io;
  Local::socket connection(io);
  connection.connect(Local::endpoint(socket()));
  boost::system::error_code error;
  asio::write(connection, asio::buffer(bytes), error);
  connection.shutdown(Local::socket::shutdown_send, error);
  std::string response;
  asio::read(connection, asio::dynamic_buffer(response), error);
  return response;
}

std::string FilesApp::AwaitTasks() const {
  std::string tasks;
  REQUIRE(testing::WaitFor([&] {
    tasks = Get("/api/tasks").body();
    return tasks.find("\"running\"") == std::string::npos;
  }));
  return tasks;
}

void FilesApp::Terminate() { testing::Signal(process_->pid(), SIGTERM); }

std::optional<node::ProcessEnd> FilesApp::AwaitEnd() {
  std::optional<node::ProcessEnd> end;
  testing::WaitFor([&] { return (end = process_->TakeEnd()).has_value(); });
  return end;
}

}  // namespace carme::files
