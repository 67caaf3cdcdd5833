#include "tests/slurm-hooks/shell/shell_app.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <utility>
//
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::shell {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Local = asio::local::stream_protocol;

using testing::kWaitTimeout;

const int kWaitTimeoutMs =
    static_cast<int>(kWaitTimeout / absl::Milliseconds(1));
constexpr absl::Duration kPause = absl::Milliseconds(5);

UniqueFd Connect(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

bool Readable(int fd, int timeout_ms) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, timeout_ms) == 1;
}

}  // namespace

ShellApp::ShellApp(const std::string& shell) {
  // /etc/profile sets the prompt as it likes.
  std::ofstream(directory_.File(".profile")) << "PS1='$ '\n";
  auto started = node::ChildProcess::Start(
      {.arguments = {CARME_SHELL, "--socket", socket()},
       .environment = {"PATH=/usr/bin:/bin", absl::StrCat("SHELL=", shell),
                       absl::StrCat("HOME=", home())},
       .directory = "/"});
  REQUIRE_THAT(started, IsOk());
  process_ = *started;
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  while (!Connect(socket()).valid() && absl::Now() < deadline) {
    absl::SleepFor(kPause);
  }
  REQUIRE(Get("/ready").starts_with("HTTP/1.1 200"));
}

ShellApp::~ShellApp() {
  Terminate();
  if (!AwaitEnd().has_value()) process_->Signal(SIGKILL);
}

std::string ShellApp::Exchange(const std::string& bytes, int silence_ms) const {
  const UniqueFd fd = Connect(socket());
  REQUIRE(fd.valid());
  // The app may have answered and hung up before it was given everything.
  const ssize_t sent = send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  CHECK(sent != 0);
  std::string answer;
  char buffer[4096];
  while (Readable(fd.get(), answer.empty() ? kWaitTimeoutMs : silence_ms)) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    answer.append(buffer, static_cast<size_t>(got));
  }
  return answer;
}

std::string ShellApp::Get(const std::string& target,
                          const std::string& headers) const {
  return Exchange(
      absl::StrCat("GET ", target, " HTTP/1.1\r\nHost: job.test\r\n", headers,
                   "Connection: close\r\n\r\n"),
      kWaitTimeoutMs);
}

void ShellApp::Terminate() { testing::Signal(process_->pid(), SIGTERM); }

std::optional<node::ProcessEnd> ShellApp::AwaitEnd() {
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  std::optional<node::ProcessEnd> end;
  while (!(end = process_->TakeEnd()).has_value() && absl::Now() < deadline) {
    absl::SleepFor(kPause);
  }
  return end;
}

uint64_t ShellApp::ResidentBytes() const {
  std::ifstream file(absl::StrCat("/proc/", pid(), "/statm"));
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

struct TerminalWindow::Line {
  asio::io_context io;
  beast::websocket::stream<Local::socket> socket{io};
};

TerminalWindow::TerminalWindow(const ShellApp& app, const std::string& target)
    : line_(std::make_unique<Line>()) {
  using beast::websocket::request_type;
  using beast::websocket::stream_base;
  Local::socket& plain = line_->socket.next_layer();
  plain.connect(Local::endpoint(app.socket()));
  line_->socket.set_option(stream_base::decorator([](request_type& request) {
    request.set("Origin", "https://job.test");
  }));
  line_->socket.handshake("job.test", target);
  REQUIRE(ReadFrame());
  REQUIRE(sscanf(last_text_.c_str(), "{\"at\":%lu,", &at_) == 1);
}

TerminalWindow::~TerminalWindow() = default;

void TerminalWindow::Type(const std::string& bytes) {
  line_->socket.binary(true);
  line_->socket.write(asio::buffer(bytes));
}

bool TerminalWindow::TypeSoon(const std::string& bytes) {
  bool done = false;
  line_->socket.binary(true);
  line_->socket.async_write(
      asio::buffer(bytes),
      [&](const boost::system::error_code& error, size_t) { done = !error; });
  line_->io.restart();
  line_->io.run_for(std::chrono::milliseconds(500));
  if (!done) {
    CutLine();
    line_->io.run();  // the write still has the bytes
  }
  return done;
}

void TerminalWindow::Tell(const std::string& message) {
  line_->socket.text(true);
  line_->socket.write(asio::buffer(message));
}

bool TerminalWindow::ReadFrame() {
  beast::flat_buffer buffer;
  boost::system::error_code error = asio::error::timed_out;
  line_->socket.async_read(buffer, [&](const boost::system::error_code& result,
                                       size_t) { error = result; });
  line_->io.restart();
  line_->io.run_for(std::chrono::milliseconds(kWaitTimeoutMs));
  if (error) {
    CutLine();
    line_->io.run();  // the read still has the buffer
    return false;
  }
  const std::string_view frame(static_cast<const char*>(buffer.cdata().data()),
                               buffer.size());
  (line_->socket.got_text() ? last_text_ = "" : bytes_).append(frame);
  return true;
}

bool TerminalWindow::Shows(const std::string& text) {
  while (bytes_.find(text) == std::string::npos) {
    if (!ReadFrame()) return false;
  }
  return true;
}

void TerminalWindow::ReadBytes(size_t count) {
  while (bytes_.size() < count && ReadFrame()) continue;
}

std::string TerminalWindow::AwaitExit() {
  while (ReadFrame()) continue;
  return last_text_;
}

void TerminalWindow::CutLine() {
  boost::system::error_code ignored;
  line_->socket.next_layer().close(ignored);
}

}  // namespace carme::shell
