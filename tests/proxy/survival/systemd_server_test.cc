// The installed systemd units: hot restart, crash, failing start.
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/file.h"
#include "tests/proxy/fixtures/proxy_fixture.h"
#include "tests/proxy/fixtures/proxy_program.h"
#include "tests/support/servers/private_host.h"
#include "tests/support/servers/systemd_host.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kUnit[] = "carme-proxy";

// A host with the proxy installed as in docs/admin/installation.md, at port
// 443.
class ManagedProxy {
 public:
  ManagedProxy() {
    fixture.watcher.reset();
    fixture.server.reset();
    fixture.port = 443;
    const std::string& dir = host.directory();
    const std::string source = CARME_SOURCE "/deploy/systemd/";
    fs::create_directories(dir + "/units/carme-proxy.service.d");
    for (const char* unit : {"/carme-proxy.service", "/carme-proxy.socket"}) {
      fs::copy(source + unit, dir + "/units" + unit);
    }
    fs::copy(source + "carme.sysusers", dir + "/sysusers");
    // There is no journal in this host.
    REQUIRE_THAT(
        WriteFile(dir + "/units/carme-proxy.service.d/log.conf",
                  "[Service]\nStandardError=append:" + log() + "\n", 0644),
        IsOk());
    host.Boot();
    host.Run("mkdir -p /etc/carme; cp " + fixture.directory.path() + "/*.pem " +
             fixture.directory.path() +
             "/*.key /etc/carme; chown carme-proxy /etc/carme/*");
    Install();
    Configure();
  }

  // Installs the program as a new file with the same name.
  void Install() const {
    host.Run("install " CARME_PROXY
             " /usr/local/sbin/new; "
             "mv /usr/local/sbin/new /usr/local/sbin/carme-proxy");
  }
  // `more` is added at the end, to [limits].
  void Configure(const std::string& more = "") const {
    const std::string text = absl::StrReplaceAll(
        ProgramConfig(fixture, "access_log = \"" + AccessLog() + "\"\n"),
        {{"state_directory = \"" + fixture.directory.path(),
          "state_directory = \"/var/lib/carme-proxy"},
         {fixture.directory.path(), "/etc/carme"},
         // Longer than any test.
         {"drain_timeout_s = 2", "drain_timeout_s = 600"}});
    const std::string file = host.directory() + "/proxy.toml";
    REQUIRE_THAT(WriteFile(file, text + more, 0644), IsOk());
    host.Run("cp " + file + " /etc/carme/proxy.toml");
  }
  void Start() {
    host.Run("systemctl start carme-proxy.socket carme-proxy");
    fixture.WaitForRoutes();
    fixture.cookie = fixture.OpenJob();
  }

  std::string Property(const std::string& name) const {
    return host.Property(kUnit, name);
  }
  bool Becomes(const std::string& name, const std::string& value) const {
    return WaitFor([&] { return Property(name) == value; });
  }
  // Of the main process's /proc/PID/status.
  std::string Status(const std::string& name) const {
    return host.Run("sed -n 's/^" + name + ":[[:space:]]*//p' /proc/" +
                    Property("MainPID") + "/status");
  }
  bool Says(const std::string& text) const {
    return WaitFor([&] {
      auto said = ReadFile(log());
      return said.ok() && said->find(text) != std::string::npos;
    });
  }
  // The pid of the new process.
  std::string Upgrade() const {
    const std::string before = Property("MainPID");
    host.Run("systemctl kill --kill-who=main --signal=USR2 carme-proxy");
    std::string after = before;
    WaitFor([&] { return (after = Property("MainPID")) != before; });
    return after;
  }
  int Redeem(const std::string& ticket) {
    return fixture.Connect()
        ->Ask(Request("GET /.carme/open?ticket=" + ticket, kJobHost))
        .status;
  }
  static bool Alive(TlsClient& websocket) {
    websocket.Send("ping");
    return websocket.Read(4) == "ping";
  }
  std::string log() const { return host.directory() + "/log"; }
  static std::string AccessLog() { return "/var/log/carme-proxy/access.log"; }

  ProxyFixture fixture;
  SystemdHost host;
};

bool Enter() {
  if (!SystemdHost::Possible()) return false;
  // In a private host, for port 443.
  static const bool entered = (EnterPrivateHost(), true);
  return entered;
}

TEST_CASE("systemd: restarts a failing proxy while clients wait", "[proxy]") {
  REQUIRE(Enter());
  ManagedProxy proxy;
  proxy.Configure("nonsense = 1\n");
  proxy.host.Run("systemctl start --no-block carme-proxy.socket carme-proxy");
  REQUIRE(proxy.Says("nonsense"));
  TestResponse served;
  std::thread waiting([&] {
    TlsClient client(443, proxy.fixture.ClientOptions(kPortalHost));
    served = client.Ask(Request("GET /echo", kPortalHost));
  });
  // systemd's default limit is five in ten seconds.
  CHECK(WaitFor([&] { return std::stoi(proxy.Property("NRestarts")) > 6; }));
  proxy.Configure();
  CHECK(proxy.Becomes("ActiveState", "active"));
  waiting.join();
  CHECK(served.status == 200);
}

TEST_CASE("systemd: the proxy has only the rights of its unit", "[proxy]") {
  REQUIRE(Enter());
  ManagedProxy proxy;
  proxy.Start();
  auto websocket = proxy.fixture.OpenWebsocket(proxy.fixture.cookie);
  CHECK(proxy.host.Run("ps -o user= -C carme-proxy") == "carme-proxy");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    INFO(set);
    CHECK(proxy.Status(set) == "0000000000000000");
  }
  CHECK(proxy.Status("NoNewPrivs") == "1");
  CHECK(proxy.Status("Seccomp") == "2");
  CHECK(proxy.host.Run("stat -c '%U %a' /var/lib/carme-proxy") ==
        "carme-proxy 700");
  // Nothing else is its own, as it sees the world.
  int status = 0;
  const std::string inside =
      "nsenter --target " + proxy.Property("MainPID") + " --mount -- ";
  for (const char* path : {"/etc/carme", "/usr/local/sbin", "/home"}) {
    INFO(path);
    proxy.host.Run(inside + "touch " + path + "/x 2> /dev/null", &status);
    CHECK(status != 0);
  }
  CHECK(proxy.Alive(*websocket));
}

TEST_CASE(
    "systemd: a hot restart changes the main process, closes no connection",
    "[proxy]") {
  REQUIRE(Enter());
  ManagedProxy proxy;
  proxy.Start();
  ProxyFixture& fixture = proxy.fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const std::string used = fixture.Ticket(), before = proxy.Property("MainPID");
  CHECK(proxy.Redeem(used) == 303);

  // A process that cannot start changes nothing.
  proxy.Configure("nonsense = 1\n");
  proxy.host.Run("systemctl kill --kill-who=main --signal=USR2 carme-proxy");
  REQUIRE(proxy.Says("new process not ready"));
  CHECK(proxy.Property("MainPID") == before);
  CHECK(fixture.Get("/echo").status == 200);
  proxy.Configure();

  proxy.Install();
  const std::string heir = proxy.Upgrade();
  REQUIRE(heir != before);
  const auto processes = [&] {
    return proxy.host.Run("pgrep --count --exact carme-proxy");
  };
  CHECK(processes() == "2");
  CHECK(proxy.Property("ActiveState") == "active");
  // The new file; the old process's file is deleted.
  CHECK(proxy.host.Run("readlink /proc/" + heir + "/exe") ==
        "/usr/local/sbin/carme-proxy");
  CHECK(proxy.Alive(*websocket));
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(proxy.Redeem(used) == 403);
  // The reload goes to the new process after logrotate moved the file.
  proxy.host.Run("mv " + proxy.AccessLog() +
                 " /var/log/rotated; "
                 "systemctl reload carme-proxy");
  CHECK(WaitFor([&] {
    return fixture.Get("/echo").status == 200 &&
           proxy.host.Run("grep -s -c path=/echo " + proxy.AccessLog() +
                          " || true") > "0";
  }));

  websocket.reset();
  CHECK(WaitFor([&] { return processes() == "1"; }));
  CHECK(proxy.Property("MainPID") == heir);
  CHECK(proxy.Property("ActiveState") == "active");
  CHECK(proxy.Property("NRestarts") == "0");
}

TEST_CASE("systemd: restarts a killed proxy, after a hot restart as well",
          "[proxy]") {
  REQUIRE(Enter());
  ManagedProxy proxy;
  proxy.Start();
  ProxyFixture& fixture = proxy.fixture;
  const std::string used = fixture.Ticket();
  CHECK(proxy.Redeem(used) == 303);
  const auto kill = [&] {
    proxy.host.Run("systemctl kill --kill-who=main --signal=KILL carme-proxy");
    const absl::Time start = absl::Now();
    // Like a browser that retries. systemd would wait 90 s for a draining old
    // process.
    REQUIRE(WaitFor(
        [&] {
          TlsClient client(443, fixture.ClientOptions(kJobHost));
          return client
                     .Ask(Request("GET /echo", kJobHost,
                                  "Cookie: " + fixture.cookie + "\r\n"))
                     .status == 200;
        },
        absl::Seconds(45)));
    WARN("served again " << absl::FormatDuration(absl::Now() - start)
                         << " after kill -9");
    CHECK(proxy.Redeem(used) == 403);
  };
  kill();
  CHECK(proxy.Becomes("NRestarts", "1"));
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  const std::string before = proxy.Property("MainPID");
  REQUIRE(proxy.Upgrade() != before);
  CHECK(proxy.Alive(*websocket));
  kill();
  CHECK(proxy.Becomes("NRestarts", "2"));
  // The old process ends with the main one, so that the restart is quick.
  CHECK(websocket->EndsWithin(kSoon));

  proxy.host.Run("systemctl stop carme-proxy.socket carme-proxy");
  CHECK(proxy.Property("Result") == "success");
  CHECK(proxy.Property("ExecMainStatus") == "0");
}

}  // namespace
}  // namespace carme::testing
