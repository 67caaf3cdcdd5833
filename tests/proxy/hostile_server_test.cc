// The table of hostile requests through carme-proxy, and through nginx to see
// what others make of it.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "common/file.h"
#include "tests/proxy/hostile_table.h"
#include "tests/proxy/plain_client.h"
#include "tests/proxy/proxy_fixture.h"
#include "tests/support/signals.h"

namespace carme::testing {
namespace {

constexpr char kTable[] = CARME_SOURCE "/tests/proxy/hostile_http1.txt";

// Debian's nginx in front of an app, as its manual says, on a unix socket.
class Nginx {
 public:
  explicit Nginx(int app_port) {
    const std::string& path = directory_.path();
    std::string places;
    for (const char* kind :
         {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
      places += std::string(kind) + "_temp_path " + path + "/" + kind + ";\n";
    }
    const std::string config =
        "daemon off;\nmaster_process off;\nerror_log " + path +
        "/error.log info;\npid " + path +
        "/pid;\nevents {}\nhttp {\naccess_log off;\n" + places +
        "client_max_body_size 16g;\nkeepalive_timeout 3;\n"
        "lingering_time 1;\nlingering_timeout 1;\n"
        "upstream app { server 127.0.0.1:" +
        std::to_string(app_port) +
        "; keepalive 8; }\nserver {\nlisten unix:" + socket() +
        ";\nlocation / {\nproxy_pass http://app;\nproxy_http_version 1.1;\n"
        "proxy_set_header Connection \"\";\nproxy_set_header Host $host;\n"
        "proxy_request_buffering off;\n}\n}\n}\n";
    REQUIRE(WriteFile(path + "/nginx.conf", config, 0600).ok());
    const std::string file = path + "/nginx.conf";
    pid_ = fork();
    if (pid_ == 0) {
      execl("/usr/sbin/nginx", "nginx", "-p", path.c_str(), "-c", file.c_str(),
            static_cast<char*>(nullptr));
      _exit(127);
    }
    INFO("is Debian's package nginx installed?");
    REQUIRE(
        WaitFor([&] { return AskUnix(socket(), "x\r\n\r\n").has_value(); }));
  }
  ~Nginx() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::string socket() const { return directory_.File("nginx.sock"); }

 private:
  TempDir directory_;
  pid_t pid_ = 0;
};

TEST_CASE("proxy: each hostile request has the answer of the table",
          "[proxy]") {
  ProxyFixture fixture;
  const auto table =
      ReadHostileTable(kTable, kJobHost, "Cookie: " + fixture.cookie + "\r\n");
  for (const HostileCase& hostile : table) {
    INFO(hostile.name);
    const int before = fixture.app.requests();
    auto client = fixture.Connect();
    client->Send(hostile.bytes);
    const std::string answers = client->Read(size_t{1} << 30);
    CHECK(client->EndsWithin(kSoon));
    CHECK(OutcomeOf(answers, fixture.app.requests() - before) == hostile.carme);
    CHECK(answers.find("/smuggled") == std::string::npos);
  }
}

TEST_CASE("proxy: targets reach the app as they were sent", "[proxy]") {
  ProxyFixture fixture;
  for (const char* target :
       {"/echo/..%2f..%2fetc", "/echo/%2e%2e/x", "/../x", "//echo", "/echo%00",
        "/echo;a=b", "/echo?%0d%0a", "/echo\\x", "/%", "/a//b"}) {
    const TestResponse echo = fixture.Get(target);
    INFO(echo.body);
    CHECK(echo.body.find("GET " + std::string(target) + " HTTP/1.1\r\n") == 0);
  }
}

TEST_CASE("nginx: has the outcomes that the table compares with", "[proxy]") {
  EchoApp app;
  Nginx nginx(app.port());
  for (const HostileCase& hostile : ReadHostileTable(kTable, kJobHost, "")) {
    INFO(hostile.name);
    const int before = app.requests();
    const auto answers = AskUnix(nginx.socket(), hostile.bytes);
    REQUIRE(answers.has_value());
    CHECK(OutcomeOf(*answers, app.requests() - before) == hostile.nginx);
  }
}

}  // namespace
}  // namespace carme::testing
