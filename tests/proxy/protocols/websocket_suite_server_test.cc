// What the Autobahn test suite asks of a websocket server, asked of an app
// through the proxy: it says through both versions of HTTP what it says
// straight.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>

#include "tests/proxy/protocols/websocket_cases.h"
#include "tests/proxy/protocols/websocket_frames.h"
#include "tests/proxy/protocols/websocket_transports.h"
#include "tests/support/signals.h"

namespace carme::testing {
namespace {

constexpr char kApp[] = CARME_SOURCE "/tests/proxy/protocols/websocket_app.py";

// Debian's python3-websockets, in a process of its own.
class WebsocketApp {
 public:
  WebsocketApp() {
    int input[2], output[2];
    REQUIRE(pipe2(input, O_CLOEXEC) == 0);
    REQUIRE(pipe2(output, O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      execl("/usr/bin/python3", "python3", kApp, static_cast<char*>(nullptr));
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_.reset(input[1]);
    const UniqueFd said(output[0]);
    std::string line;
    char byte;
    while (read(said.get(), &byte, 1) == 1 && byte != '\n') line += byte;
    INFO("is Debian's package python3-websockets installed?");
    REQUIRE_FALSE(line.empty());
    port_ = std::stoi(line);
  }
  ~WebsocketApp() {
    input_.reset();
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  int port() const { return port_; }

 private:
  pid_t pid_ = 0;
  UniqueFd input_;
  int port_ = 0;
};

struct Suite {
  Suite() { fixture.agent.LeadTo(app.port()); }
  WebsocketApp app;
  ProxyFixture fixture;
};

bool SendStep(Websocket* websocket, const WebsocketStep& step) {
  if (step.chop == 0) return websocket->Send(step.bytes);
  for (size_t at = 0; at < step.bytes.size(); at += step.chop) {
    if (!websocket->Send(step.bytes.substr(at, step.chop))) return false;
  }
  return true;
}

// Until there are so many events, or the close frame. False: the end.
bool ReadEvents(Websocket* websocket, ServerFrames* frames, size_t count) {
  while (frames->events().size() < count && !frames->closed()) {
    const std::string bytes = websocket->Read();
    if (bytes.empty()) return false;
    frames->Take(bytes);
  }
  return true;
}

// The rest of a connection's life: both sides' farewells, and the end.
void Leave(Websocket* websocket, ServerFrames* frames, bool first) {
  const std::string farewell = ClientFrame(kClose, CloseBody(1000));
  if (first) websocket->Send(farewell);
  ReadEvents(websocket, frames, SIZE_MAX);
  if (!first) websocket->Send(farewell);
  while (!websocket->Read().empty()) {
  }
}

std::vector<std::string> Run(Websocket* websocket, const WebsocketCase& what) {
  ServerFrames frames;
  for (const WebsocketStep& step : what.steps) {
    // Who is refused in the middle of it may be gone before the rest is out.
    if (!SendStep(websocket, step)) break;
    if (!ReadEvents(websocket, &frames, step.await)) break;
  }
  Leave(websocket, &frames, what.close.empty());
  return frames.events();
}

void CheckCases(const std::vector<WebsocketCase>& cases) {
  Suite suite;
  for (const WebsocketCase& what : cases) {
    std::vector<std::string> straight;
    for (const Way way : {Way::kStraight, Way::kHttp1, Way::kHttp2}) {
      INFO(what.name << ", way " << static_cast<int>(way));
      auto websocket = OpenWebsocket(way, suite.fixture, suite.app.port(), "");
      REQUIRE(websocket != nullptr);
      const std::vector<std::string> events = Run(websocket.get(), what);
      if (way == Way::kStraight) {
        straight = events;
        std::vector<std::string> expected = what.events;
        const bool ours = what.close.empty();
        const std::string last = events.empty() ? "" : events.back();
        const bool known = std::find(what.close.begin(), what.close.end(),
                                     last) != what.close.end();
        expected.push_back(known  ? last
                           : ours ? "close 1000"
                                  : "a close frame");
        CHECK(events == expected);
      } else {
        CHECK(events == straight);
      }
    }
  }
}

TEST_CASE("websocket suite: frames of every size", "[proxy]") {
  CheckCases(FramingCases());
}
TEST_CASE("websocket suite: pings and pongs", "[proxy]") {
  CheckCases(PingCases());
}
TEST_CASE("websocket suite: reserved bits", "[proxy]") {
  CheckCases(ReservedBitCases());
}
TEST_CASE("websocket suite: unknown opcodes", "[proxy]") {
  CheckCases(OpcodeCases());
}
TEST_CASE("websocket suite: messages in fragments", "[proxy]") {
  CheckCases(FragmentationCases());
}
TEST_CASE("websocket suite: valid and invalid UTF-8", "[proxy]") {
  CheckCases(Utf8Cases());
}
TEST_CASE("websocket suite: closing", "[proxy]") { CheckCases(CloseCases()); }
TEST_CASE("websocket suite: large and fragmented traffic", "[proxy]") {
  CheckCases(LimitCases());
}

TEST_CASE("websocket suite: compressed messages", "[proxy]") {
  Suite suite;
  for (const DeflateCase& what : DeflateCases()) {
    std::string agreed;
    for (const Way way : {Way::kStraight, Way::kHttp1, Way::kHttp2}) {
      INFO(what.name << ", way " << static_cast<int>(way));
      auto websocket =
          OpenWebsocket(way, suite.fixture, suite.app.port(), what.offer);
      REQUIRE(websocket != nullptr);
      if (way == Way::kStraight) agreed = websocket->extensions();
      CHECK(websocket->extensions().find("permessage-deflate") == 0);
      CHECK(websocket->extensions() == agreed);
      Deflater deflater(what.window_bits, what.client_keeps);
      ServerFrames frames(true, what.server_keeps);
      std::vector<std::string> expected;
      for (const std::string& message : what.messages) {
        const std::string body = deflater.Deflate(message);
        const size_t size = what.fragment == 0 ? body.size() : what.fragment;
        std::string bytes;
        for (size_t at = 0; at == 0 || at < body.size(); at += size) {
          bytes +=
              ClientFrame(at == 0 ? kBinary : kContinuation,
                          std::string_view(body).substr(at, size),
                          at + size >= body.size(), at == 0 ? kCompressed : 0);
        }
        REQUIRE(websocket->Send(bytes));
        expected.push_back(ServerFrames::Event(kBinary, message));
        ReadEvents(websocket.get(), &frames, expected.size());
      }
      expected.emplace_back("close 1000");
      Leave(websocket.get(), &frames, true);
      CHECK(frames.events() == expected);
    }
  }
}

}  // namespace
}  // namespace carme::testing
