// carme-frontend itself, as a process.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "tests/frontend/portal_fixture.h"
#include "tests/support/held_port.h"
#include "tests/support/monitoring_files.h"
#include "tests/support/signals.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::Request;

// Certificates, configuration and log of one frontend, removed at the end.
class Installation {
 public:
  Installation() : ca_("site"), backend_(ca_) {
    const testing::TestIdentity identity =
        ca_.IssueNames("URI:carme://frontend/dmz");
    Write("ca.pem", ca_.certificate_pem(), 0644);
    Write("frontend.pem", identity.certificate_pem, 0644);
    Write("frontend.key", identity.key_pem, 0600);
    Write("crl.pem", ca_.RevocationList({}), 0644);
    Configure("https://carme.test");
  }
  ~Installation() {
    if (child_ <= 0) return;
    testing::Signal(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  void Configure(const std::string& portal) {
    Write("frontend.toml",
          absl::StrCat(
              "listen = \"127.0.0.1:", port(), "\"\nportal = \"", portal,
              "\"\nmetrics_listen = \"127.0.0.1:", metrics_port(),
              "\"\nweb_root = \"", site_.path(), "\"\n[backend]\naddress = \"",
              backend_.address(), "\"\nca = \"", folder_.path(),
              "/ca.pem\"\ncertificate = \"", folder_.path(),
              "/frontend.pem\"\nkey = \"", folder_.path(),
              "/frontend.key\"\ncrl = \"", folder_.path(), "/crl.pem\"\n"),
          0644);
  }
  void Start(const std::vector<std::string>& flags = {}) {
    const std::string config = folder_.File("frontend.toml");
    const UniqueFd log(open(folder_.File("log").c_str(),
                            O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600));
    std::vector<const char*> arguments = {CARME_FRONTEND_PROGRAM, "--config",
                                          config.c_str()};
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    arguments.push_back(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    dup2(log.get(), STDERR_FILENO);
    dup2(log.get(), STDOUT_FILENO);
    execv(CARME_FRONTEND_PROGRAM, const_cast<char**>(arguments.data()));
    _exit(127);
  }
  // Its exit code.
  int Wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool WaitUntilServing() const {
    return testing::WaitFor([this] {
      return HttpClient(port()).Ask(Request("GET", "/healthz")).body == "ok\n";
    });
  }
  void Write(const std::string& name, const std::string& text, mode_t mode) {
    if (!WriteFile(folder_.File(name), text, mode).ok()) std::abort();
  }
  // Revokes the backend's certificate, as `carmectl pki revoke` does.
  void RevokeBackend() {
    Write("crl.pem",
          ca_.RevocationList(
              {ReadCertificate(backend_.certificate_pem())->serial}),
          0644);
  }
  void WriteList(long life_s) {
    Write("crl.pem", ca_.RevocationList({}, life_s), 0644);
  }
  std::string Log() const { return ReadFile(folder_.File("log")).value_or(""); }
  int port() const { return port_.number(); }
  int metrics_port() const { return metrics_port_.number(); }
  pid_t child() const { return child_; }

 private:
  testing::TestCa ca_;
  testing::FakeBackend backend_;
  testing::SiteFolder site_;
  TempDir folder_;
  const testing::HeldPort port_, metrics_port_;
  pid_t child_ = -1;
};

TEST_CASE("program: refuses a key that others may read", "[frontend]") {
  Installation frontend;
  frontend.Write("frontend.key", "x", 0644);
  frontend.Start();
  CHECK(frontend.Wait() == 1);
  CHECK(frontend.Log().find("has mode 644") != std::string::npos);
}

TEST_CASE("program: reports each error of its configuration", "[frontend]") {
  Installation frontend;
  frontend.Configure("http://carme.test");
  frontend.Start({"--check-config"});
  CHECK(frontend.Wait() == 1);
  CHECK(frontend.Log().find("frontend.toml:2: \"portal\": "
                            "\"http://carme.test\": expected https://") !=
        std::string::npos);
  frontend.Configure("https://carme.test");
  frontend.Start({"--check-config"});
  CHECK(frontend.Wait() == 0);
  CHECK(frontend.Log().empty());
}

TEST_CASE("program: loads a new revocation list without a restart",
          "[frontend]") {
  Installation frontend;
  frontend.Start();
  REQUIRE(frontend.WaitUntilServing());
  const auto ready = [&] {
    return HttpClient(frontend.metrics_port())
        .Ask(Request("GET", "/readyz"))
        .status;
  };
  CHECK(testing::WaitFor([&] { return ready() == 200; }));
  const auto status = [&] {
    return HttpClient(frontend.port())
        .Ask(Request("POST", "/carme.v1.AuthService/GetSession",
                     testing::kCallHeaders + testing::SessionHeader(), "{}"))
        .status;
  };
  CHECK(status() == 200);
  frontend.RevokeBackend();
  CHECK(testing::WaitFor([&] { return status() == 503; }));
  CHECK(testing::WaitFor([&] { return ready() == 503; }));
  // Expired: applies, with a warning.
  frontend.WriteList(-30);
  CHECK(testing::WaitFor([&] { return status() == 200; }));
  CHECK(testing::WaitFor([&] {
    return frontend.Log().find("expired of=\"revocation list\"") !=
           std::string::npos;
  }));
}

TEST_CASE("program: refuses a revocation list of another authority",
          "[frontend]") {
  Installation frontend;
  frontend.Write("crl.pem", testing::TestCa("site").RevocationList({}), 0644);
  frontend.Start();
  CHECK(frontend.Wait() == 1);
  CHECK(frontend.Log().find("is not signed by the authority") !=
        std::string::npos);
}

TEST_CASE("program: a session survives kill -9", "[frontend]") {
  Installation frontend;
  const auto status = [&] {
    return HttpClient(frontend.port())
        .Ask(Request("POST", "/carme.v1.AuthService/GetSession",
                     testing::kCallHeaders + testing::SessionHeader(), "{}"))
        .status;
  };
  for (int start = 0; start < 2; ++start) {
    frontend.Start();
    REQUIRE(frontend.WaitUntilServing());
    CHECK(testing::WaitFor([&] { return status() == 200; }));
    testing::Signal(frontend.child(), SIGKILL);
    CHECK(frontend.Wait() == -1);
  }
}

TEST_CASE("program: serves until SIGTERM, and logs no secret", "[frontend]") {
  Installation frontend;
  frontend.Start();
  REQUIRE(frontend.WaitUntilServing());
  const HttpAnswer session =
      HttpClient(frontend.port())
          .Ask(Request("POST", "/carme.v1.AuthService/GetSession",
                       testing::kCallHeaders + testing::SessionHeader(), "{}"));
  CHECK(session.status == 200);
  CHECK(HttpClient(frontend.port())
            .Ask(Request("POST", "/carme.v1.AuthService/Login",
                         testing::kCallHeaders,
                         R"({"username":"ada","password":"hunter2"} x)"))
            .status == 400);
  const std::string metrics =
      HttpClient(frontend.metrics_port()).Ask(Request("GET", "/metrics")).body;
  INFO(metrics);
  CHECK(metrics.find("carme_frontend_requests_total{route=\"call\","
                     "status=\"2xx\"} 1\n") != std::string::npos);
  CHECK(metrics.find("carme_frontend_certificate_remaining_seconds{owner="
                     "\"frontend\"") != std::string::npos);
  CHECK(metrics.find("\"ada\"") == std::string::npos);
  CHECK(testing::MissingMetrics("carme_frontend_", metrics).empty());
  testing::Signal(frontend.child(), SIGTERM);
  CHECK(frontend.Wait() == 0);
  const std::string log = frontend.Log();
  CHECK(log.find("info serving") != std::string::npos);
  CHECK(log.find("info stopping") != std::string::npos);
  CHECK(log.find(testing::kKnownToken) == std::string::npos);
  CHECK(log.find("hunter2") == std::string::npos);
}

}  // namespace
}  // namespace carme::frontend
