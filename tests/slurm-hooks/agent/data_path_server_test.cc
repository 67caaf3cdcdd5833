// Which connections reach the app through the agent, and that no others do.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <list>

#include "absl/time/clock.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/proxy_connection.h"
#include "tests/slurm-hooks/hooks/root_dir.h"

namespace carme::agent {
namespace {

struct Door {
  Door() : agent(backend), proxy(backend.Proxy()) {
    agent.StartAndAwaitReady();
    port = backend.agent_port();
  }
  // A connection with the proxy's certificate.
  ProxyConnection Connect() const { return ProxyConnection(port, proxy); }

  FakeAgentBackend backend;
  AgentProcess agent;
  testing::TestIdentity proxy;
  int port = 0;
};

TEST_CASE("data path: refuses clients without the proxy's certificate",
          "[agent]") {
  Door door;
  const testing::TestIdentity refused[] = {
      {}, door.backend.Frontend(), door.backend.OtherJob()};
  for (const testing::TestIdentity& identity : refused) {
    ProxyConnection stranger(door.port, identity);
    stranger.Write(door.backend.Preamble() + "let me in");
    CHECK(stranger.IsClosed());
  }
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: refuses TLS 1.2", "[agent]") {
  Door door;
  ProxyConnection old(door.port, door.proxy, TLS1_2_VERSION);
  old.Write(door.backend.Preamble() + "let me in");
  CHECK(old.IsClosed());
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: refuses connections without TLS", "[agent]") {
  Door door;
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(door.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                  sizeof address) == 0);
  const std::string text = "GET / HTTP/1.1\r\n\r\n";
  REQUIRE(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) > 0);
  char buffer[64];
  ssize_t got = 1;
  while (got > 0) got = recv(fd.get(), buffer, sizeof buffer, 0);
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: refuses an invalid grant", "[agent]") {
  Door door;
  const std::function<void(carme::v1::Grant*)> changes[] = {
      [](auto* grant) { grant->set_job_id("abcdefgh2345678a"); },
      [](auto* grant) { grant->set_app("terminal"); },
      [](auto* grant) { grant->clear_rights(); },
      [](auto* grant) {
        grant->mutable_expires_at()->set_seconds(
            absl::ToUnixSeconds(absl::Now()) - 1);
      },
  };
  for (const auto& change : changes) {
    carme::v1::Grant grant = FakeAgentBackend::GoodGrant();
    change(&grant);
    ProxyConnection connection = door.Connect();
    connection.Write(door.backend.Preamble(grant) + "let me in");
    CHECK(connection.IsClosed());
  }
  FakeAgentBackend other;
  ProxyConnection forged = door.Connect();
  forged.Write(other.Preamble() + "let me in");
  CHECK(forged.IsClosed());
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: refuses a malformed preamble", "[agent]") {
  Door door;
  const std::string refused[] = {
      "GET / HTTP/1.1\r\n\r\n",
      std::string("CARME1\0\0\0\0\x10\1", 12) + std::string(5000, 'x'),
      std::string("CARME1\0\0\xff\xff\xff\xff", 12),
      std::string("CARME1\0\0\0\0\0\0", 12) + "let me in",
      std::string("CARME1\0\0\0\0\0\3", 12) + "abclet me in"};
  for (const std::string& bytes : refused) {
    ProxyConnection connection = door.Connect();
    connection.Write(bytes);
    CHECK(connection.IsClosed());
  }
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: closes a connection with a slow preamble", "[agent]") {
  Door door;
  ProxyConnection slow = door.Connect();
  const std::string preamble = door.backend.Preamble() + "let me in";
  bool closed = false;
  // A byte in 0.4 s: each one in time, all of them not.
  for (size_t i = 0; i < preamble.size() && !closed; ++i) {
    slow.Write(preamble.substr(i, 1));
    closed = slow.IsClosed(absl::Milliseconds(400));
  }
  CHECK(closed);
  CHECK(door.agent.Seen().empty());
}

TEST_CASE("data path: idle unauthenticated connections do not block the proxy",
          "[agent]") {
  Door door;
  std::list<ProxyConnection> idle;
  for (int i = 0; i < 100; ++i) idle.emplace_back(door.port, door.proxy);
  ProxyConnection connection = door.Connect();
  connection.Write(door.backend.Preamble() + "hello");
  CHECK(connection.Read(5) == "hello");
  CHECK(idle.front().IsClosed(absl::Seconds(5)));  // by itself after ten
}

TEST_CASE("data path: other users cannot open the socket of the app",
          "[agent]") {
  Door door;
  const auto connect_as = [&](uid_t uid, int expected) {
    hooks::AsUser(uid, [&] {
      const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::strncpy(address.sun_path, door.agent.socket().c_str(),
                   sizeof address.sun_path - 1);
      const int result = connect(
          fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
      if ((result == 0 ? 0 : errno) != expected) _exit(1);
    });
  };
  connect_as(kBob, EACCES);
  connect_as(kAda, 0);
}

TEST_CASE("data path: presents the certificate of the job", "[agent]") {
  Door door;
  CHECK(door.Connect().AgentName() == std::string(kTestJob) + ".job.carme");
}

TEST_CASE("data path: forwards bytes in both directions after a grant",
          "[agent]") {
  Door door;
  ProxyConnection connection = door.Connect();
  connection.Write(door.backend.Preamble() + "first ");
  connection.Write("second");
  CHECK(connection.Read(12) == "first second");
  CHECK(door.agent.Seen() == "first second");
}

TEST_CASE("data path: half-closes each direction independently", "[agent]") {
  Door door;
  ProxyConnection connection = door.Connect();
  connection.Write(door.backend.Preamble() + "question");
  connection.Finish();
  CHECK(connection.Read(100) == "question<end>");
  CHECK(connection.IsClosed());
}

TEST_CASE("data path: closes the connection when its grant expires",
          "[agent]") {
  Door door;
  carme::v1::Grant grant = FakeAgentBackend::GoodGrant();
  // As long as this machine needs to get in before the end.
  bool got_in = false;
  for (int lives_s = 2; !got_in; lives_s *= 2) {
    REQUIRE(lives_s < 100);
    grant.mutable_expires_at()->set_seconds(absl::ToUnixSeconds(absl::Now()) +
                                            lives_s);
    ProxyConnection connection = door.Connect();
    connection.Write(door.backend.Preamble(grant) + "hello");
    got_in = connection.Read(5) == "hello";
    CHECK(connection.IsClosed());
  }
}

}  // namespace
}  // namespace carme::agent
