#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/slurm-hooks/shell/shell_app.h"
#include "tests/support/wait_for.h"

namespace carme::shell {
namespace {

constexpr char kUpgrade[] =
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
constexpr char kOwnOrigin[] = "Origin: https://job.test\r\n";

std::string CodeOf(const std::string& answer) { return answer.substr(0, 12); }

std::string Head(const std::string& line, const std::string& headers) {
  return absl::StrCat(line, " HTTP/1.1\r\nHost: job.test\r\n", headers, "\r\n");
}

TEST_CASE("shell: refuses a websocket of a foreign origin", "[shell]") {
  const ShellApp app;
  for (const std::string origin :
       {"", "Origin: https://evil.test\r\n", "Origin: http://job.test\r\n",
        "Origin: https://job.test.evil\r\n", "Origin: null\r\n",
        "Origin: https://job.test\r\nOrigin: https://evil.test\r\n"}) {
    INFO(origin);
    CHECK(CodeOf(app.Exchange(
              Head("GET /terminals/1", absl::StrCat(kUpgrade, origin)))) ==
          "HTTP/1.1 403");
  }
  CHECK(app.Get("/api/terminals").ends_with("\r\n\r\n[]"));
}

TEST_CASE("shell: refuses requests without a websocket upgrade", "[shell]") {
  const ShellApp app;
  CHECK(CodeOf(app.Get("/terminals/1", kOwnOrigin)) == "HTTP/1.1 426");
}

TEST_CASE("shell: refuses bad names of terminals", "[shell]") {
  const ShellApp app;
  for (const char* path :
       {"/terminals/", "/terminals/UP", "/terminals/a/b", "/terminals/a?from=x",
        "/terminals/abcdefghijklmnopqrstuvwxyz0123456"}) {
    CHECK(CodeOf(app.Exchange(Head(absl::StrCat("GET ", path),
                                   absl::StrCat(kUpgrade, kOwnOrigin)))) ==
          "HTTP/1.1 400");
  }
}

TEST_CASE("shell: upgrades no other path", "[shell]") {
  const ShellApp app;
  CHECK(CodeOf(app.Exchange(Head(
            "GET /x", absl::StrCat(kUpgrade, kOwnOrigin)))) == "HTTP/1.1 404");
  CHECK(CodeOf(app.Exchange(
            Head("GET /ready", absl::StrCat(kUpgrade, kOwnOrigin)))) ==
        "HTTP/1.1 200");
}

TEST_CASE("shell: refuses methods, bodies and heads", "[shell]") {
  const ShellApp app;
  CHECK(CodeOf(app.Exchange(Head("POST /ready", ""))) == "HTTP/1.1 405");
  CHECK(CodeOf(app.Exchange(Head("HEAD /", ""))) == "HTTP/1.1 405");
  CHECK(CodeOf(app.Exchange(Head("GET /", "Content-Length: 5\r\n") +
                            "hello")) == "HTTP/1.1 413");
  CHECK(CodeOf(app.Exchange("nonsense\r\n\r\n")) == "HTTP/1.1 400");
  CHECK(CodeOf(app.Exchange(Head(
            "GET /", absl::StrCat("X: ", std::string(17'000, 'x'), "\r\n")))) ==
        "HTTP/1.1 431");
}

TEST_CASE("shell: ends a websocket at a message over 64 KiB", "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  try {
    window.Type(std::string(65 * 1024, 'x'));
  } catch (const std::exception&) {
    // It may hang up before everything was sent.
  }
  CHECK(window.AwaitExit().find("exit") == std::string::npos);
  CHECK(app.Get("/ready").starts_with("HTTP/1.1 200"));
}

TEST_CASE("shell: closes a websocket at a malformed message", "[shell]") {
  const ShellApp app;
  TerminalWindow window(app, "/terminals/1");
  window.Tell("{\"rows\":0,\"cols\":0}");
  CHECK(window.AwaitExit().find("exit") == std::string::npos);
}

TEST_CASE("shell: refuses the 17th terminal", "[shell]") {
  const ShellApp app;
  std::deque<TerminalWindow> windows;
  for (int number = 1; number <= 16; ++number) {
    windows.emplace_back(app, absl::StrCat("/terminals/", number));
  }
  const std::string seventeenth =
      Head("GET /terminals/17", absl::StrCat(kUpgrade, kOwnOrigin));
  const std::string refusal = app.Exchange(seventeenth);
  CHECK(CodeOf(refusal) == "HTTP/1.1 503");
  CHECK(refusal.find("16 terminals are open already") != std::string::npos);
  // One that is open can be watched again; one that ended makes room.
  CHECK(TerminalWindow(app, "/terminals/16").at() > 0);
  windows.front().Type("exit\n");
  CHECK(windows.front().AwaitExit() == "{\"exit\":0}");
  CHECK(CodeOf(app.Exchange(seventeenth)) == "HTTP/1.1 101");
}

TEST_CASE("shell: drops the 65th connection", "[shell]") {
  const ShellApp app;
  std::deque<TerminalWindow> windows;
  for (int number = 0; number < 64; ++number) {
    windows.emplace_back(app, "/terminals/1");
  }
  CHECK(app.Exchange(Head("GET /ready", "")).empty());
  windows.clear();
  // A place is free once the server has seen its window go.
  CHECK(testing::WaitFor(
      [&] { return app.Get("/ready").starts_with("HTTP/1.1 200"); }));
}

TEST_CASE("shell: its socket is its user's alone", "[shell]") {
  const ShellApp app;
  struct stat status {};
  REQUIRE(stat(app.socket().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
}

TEST_CASE("shell: every response restricts the browser", "[shell]") {
  const ShellApp app;
  const std::string page = app.Get("/");
  CHECK(page.starts_with("HTTP/1.1 200"));
  CHECK(page.find("Cache-Control: no-cache\r\n") != std::string::npos);
  for (const std::string& answer :
       {page, app.Get("/no-such-page"), app.Get("/api/terminals")}) {
    CHECK(answer.find("Content-Security-Policy: default-src 'none'; "
                      "script-src 'self'; ") != std::string::npos);
    CHECK(answer.find("X-Content-Type-Options: nosniff\r\n") !=
          std::string::npos);
  }
  const size_t script = page.find("/assets/");
  REQUIRE(script != std::string::npos);
  const std::string asset =
      app.Get(page.substr(script, page.find('"', script) - script));
  CHECK(asset.starts_with("HTTP/1.1 200"));
  CHECK(asset.find("immutable\r\n") != std::string::npos);
}

}  // namespace
}  // namespace carme::shell
