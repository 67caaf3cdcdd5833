#include <catch2/catch.hpp>
#include <cerrno>

#include "common/net/relay.h"
#include "common/net/tls/tls_stream.h"
#include "common/pki/certificate.h"
#include "tests/common/net/loop_fixture.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

using ContextPtr = std::shared_ptr<const net::TlsContext>;

constexpr char kClientNames[] = "DNS:client.test,URI:carme://proxy/dmz";

struct Pki {
  TestCa ca{"test ca"};
  TestIdentity server = ca.Issue({"server.test"});
  TestIdentity client = ca.IssueNames(kClientNames);

  net::TlsOptions ServerOptions() const {
    net::TlsOptions options;
    options.certificate = server.certificate_pem;
    options.key = server.key_pem;
    return options;
  }
  net::TlsOptions ClientOptions() const {
    net::TlsOptions options;
    options.certificate = client.certificate_pem;
    options.key = client.key_pem;
    options.peer_ca = ca.certificate_pem();
    return options;
  }
};

struct TlsPair {
  std::unique_ptr<net::TlsStream> server, client;
  absl::Status server_status, client_status;
};

net::Task<TlsPair> Shake(net::EventLoop& loop, ContextPtr server,
                         ContextPtr client, std::string name,
                         net::TlsSession session = nullptr,
                         std::string uri = "") {
  SocketPair sockets = NewSocketPair();
  TlsPair pair;
  pair.server =
      *net::TlsStream::Create(loop, std::move(sockets.a), std::move(server));
  pair.client = *net::TlsStream::Create(
      loop, std::move(sockets.b), std::move(client), {name, uri}, session);
  pair.server->ExpireAfter(kWaitTimeout);
  pair.client->ExpireAfter(kWaitTimeout);
  net::Latch done(loop, 1);
  auto serve = [&]() -> net::Task<void> {
    pair.server_status = co_await pair.server->Handshake();
    done.CountDown();
  };
  loop.Spawn(serve());
  pair.client_status = co_await pair.client->Handshake();
  if (!pair.client_status.ok()) pair.client->Finish().await_ready();
  co_await done.Wait();
  // In TLS 1.3 the client's part ends before the server has looked at its
  // certificate; a read shows it.
  char byte;
  if (!pair.server_status.ok() && pair.client_status.ok()) {
    net::IoResult got = co_await pair.client->Read(&byte, 1);
    CHECK((got.error != 0 || got.bytes == 0));
  }
  co_return std::move(pair);
}

absl::StatusCode ServerCode(const net::TlsOptions& server,
                            const net::TlsOptions& client,
                            const std::string& name, bool of_client = false,
                            const std::string& uri = "") {
  absl::Status status;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    TlsPair pair =
        co_await Shake(loop, *net::TlsContext::Server(server),
                       *net::TlsContext::Client(client), name, nullptr, uri);
    status = of_client ? pair.client_status : pair.server_status;
  };
  RunOnLoop(body);
  INFO(status);
  return status.code();
}

TEST_CASE("tls: a client refuses another name and another issuer", "[net]") {
  Pki pki;
  CHECK(ServerCode(pki.ServerOptions(), pki.ClientOptions(), "other.test",
                   true) == absl::StatusCode::kUnauthenticated);
  TestCa foreign("test ca");
  net::TlsOptions client = pki.ClientOptions();
  client.peer_ca = foreign.certificate_pem();
  CHECK(ServerCode(pki.ServerOptions(), client, "server.test", true) ==
        absl::StatusCode::kUnauthenticated);
}

TEST_CASE("tls: a server refuses clients without the right certificate",
          "[net]") {
  Pki pki;
  net::TlsOptions server = pki.ServerOptions();
  server.peer_ca = pki.ca.certificate_pem();
  server.peer_uri = "carme://proxy/dmz";

  net::TlsOptions none = pki.ClientOptions();
  none.certificate.clear();
  none.key.clear();
  CHECK(ServerCode(server, none, "server.test") != absl::StatusCode::kOk);

  TestCa foreign("test ca");
  TestIdentity forged = foreign.Issue({"client.test"});
  net::TlsOptions other_issuer = pki.ClientOptions();
  other_issuer.certificate = forged.certificate_pem;
  other_issuer.key = forged.key_pem;
  CHECK(ServerCode(server, other_issuer, "server.test") ==
        absl::StatusCode::kUnauthenticated);

  for (const char* names :
       {"DNS:client.test", "DNS:carme-proxy", "URI:carme://proxy/other",
        "URI:carme://frontend/dmz", "URI:carme://proxy/dmz,URI:https://a.test/",
        "URI:carme://proxy/dmz,URI:carme://frontend/dmz",
        "email:carme-proxy@client.test"}) {
    INFO(names);
    TestIdentity sibling = pki.ca.IssueNames(names);
    net::TlsOptions other_name = pki.ClientOptions();
    other_name.certificate = sibling.certificate_pem;
    other_name.key = sibling.key_pem;
    CHECK(ServerCode(server, other_name, "server.test") ==
          absl::StatusCode::kUnauthenticated);
  }

  CHECK(ServerCode(server, pki.ClientOptions(), "server.test") ==
        absl::StatusCode::kOk);
}

TEST_CASE("tls: a server refuses a certificate that is revoked", "[net]") {
  Pki pki;
  net::TlsOptions server = pki.ServerOptions();
  server.peer_ca = pki.ca.certificate_pem();
  server.peer_uri = "carme://proxy/dmz";
  const std::string serial =
      ReadCertificate(pki.client.certificate_pem)->serial;
  server.revoked = *Revocations::Read(pki.ca.RevocationList({serial}),
                                      pki.ca.certificate_pem());
  CHECK(ServerCode(server, pki.ClientOptions(), "server.test") ==
        absl::StatusCode::kUnauthenticated);
}

TEST_CASE("tls: a new context verifies open connections again", "[net]") {
  Pki pki;
  const TestCa next("next ca");
  net::TlsOptions server = pki.ServerOptions();
  server.peer_ca = pki.ca.certificate_pem();
  server.peer_uri = "carme://proxy/dmz";
  net::TlsOptions revoked = server, both = server, other = server,
                  renamed = server;
  revoked.revoked = *Revocations::Read(
      pki.ca.RevocationList(
          {ReadCertificate(pki.client.certificate_pem)->serial}),
      pki.ca.certificate_pem());
  both.peer_ca += next.certificate_pem();
  other.peer_ca = next.certificate_pem();
  renamed.peer_uri = "carme://proxy/other";
  net::TlsOptions trusting = pki.ClientOptions(), not_trusting = trusting;
  trusting.peer_ca += next.certificate_pem();
  not_trusting.peer_ca = next.certificate_pem();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    TlsPair pair = co_await Shake(loop, *net::TlsContext::Server(server),
                                  *net::TlsContext::Client(pki.ClientOptions()),
                                  "server.test");
    REQUIRE_THAT(pair.server_status, IsOk());
    for (const net::TlsOptions* refused : {&revoked, &other, &renamed}) {
      CHECK(absl::IsUnauthenticated(
          pair.server->CheckAgain(*net::TlsContext::Server(*refused).value())));
    }
    for (const net::TlsOptions* good : {&server, &both}) {
      CHECK_THAT(
          pair.server->CheckAgain(*net::TlsContext::Server(*good).value()),
          IsOk());
    }
    CHECK_THAT(
        pair.client->CheckAgain(*net::TlsContext::Client(trusting).value()),
        IsOk());
    CHECK(absl::IsUnauthenticated(pair.client->CheckAgain(
        *net::TlsContext::Client(not_trusting).value())));
  };
  RunOnLoop(body);
}

TEST_CASE("tls: a session of an older context is not resumed", "[net]") {
  Pki pki;
  const auto client = *net::TlsContext::Client(pki.ClientOptions());
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    net::TlsSession session;
    for (int i = 0; i < 2; ++i) {
      TlsPair pair =
          co_await Shake(loop, *net::TlsContext::Server(pki.ServerOptions()),
                         client, "server.test", session);
      REQUIRE_THAT(pair.server_status, IsOk());
      CHECK_FALSE(pair.client->resumed());
      char byte;
      co_await pair.server->Write("x");
      co_await pair.client->Read(&byte, 1);
      session = pair.client->session();
      CHECK(session != nullptr);
    }
  };
  RunOnLoop(body);
}

TEST_CASE("tls: a client that asks for a URI refuses any other", "[net]") {
  Pki pki;
  net::TlsOptions server = pki.ServerOptions();
  for (const auto& [names, code] :
       {std::pair{"DNS:server.test", absl::StatusCode::kUnauthenticated},
        std::pair{"DNS:server.test,URI:carme://job/b",
                  absl::StatusCode::kUnauthenticated},
        std::pair{"DNS:server.test,URI:carme://job/a",
                  absl::StatusCode::kOk}}) {
    INFO(names);
    const TestIdentity own = pki.ca.IssueNames(names);
    server.certificate = own.certificate_pem;
    server.key = own.key_pem;
    CHECK(ServerCode(server, pki.ClientOptions(), "server.test", true,
                     "carme://job/a") == code);
  }
}

TEST_CASE("tls: refuses other bytes than TLS", "[net]") {
  Pki pki;
  SocketPair sockets = NewSocketPair();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto server =
        net::TlsStream::Create(loop, std::move(sockets.a),
                               *net::TlsContext::Server(pki.ServerOptions()));
    REQUIRE_THAT(server, IsOk());
    const char text[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    REQUIRE(write(sockets.b.get(), text, sizeof text) > 0);
    absl::Status status = co_await (*server)->Handshake();
    CHECK_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  };
  RunOnLoop(body);
}

TEST_CASE("tls: a silent peer exceeds the deadline", "[net]") {
  Pki pki;
  SocketPair sockets = NewSocketPair();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto server =
        net::TlsStream::Create(loop, std::move(sockets.a),
                               *net::TlsContext::Server(pki.ServerOptions()));
    REQUIRE_THAT(server, IsOk());
    (*server)->ExpireAfter(absl::Milliseconds(20));
    absl::Status status = co_await (*server)->Handshake();
    CHECK_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded));
  };
  RunOnLoop(body);
}

TEST_CASE("tls: context refuses broken PEM and foreign keys", "[net]") {
  Pki pki;
  net::TlsOptions options = pki.ServerOptions();
  options.key = pki.client.key_pem;
  CHECK_FALSE(net::TlsContext::Server(options).ok());
  options = pki.ServerOptions();
  options.certificate = "x";
  CHECK_FALSE(net::TlsContext::Server(options).ok());
  options = pki.ServerOptions();
  options.peer_ca = pki.ca.certificate_pem();
  CHECK_FALSE(net::TlsContext::Server(options).ok());  // no peer_uri
  CHECK_FALSE(net::TlsContext::Client({}).ok());
}

TEST_CASE("tls: half-close in both directions, and a bare end shows", "[net]") {
  Pki pki;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    TlsPair pair = co_await Shake(
        loop, *net::TlsContext::Server(pki.ServerOptions()),
        *net::TlsContext::Client(pki.ClientOptions()), "server.test");
    CHECK(pair.server->ServerName() == "server.test");
    net::IoResult put = co_await pair.client->Write("question");
    net::IoResult end = co_await pair.client->Finish();
    CHECK(end.error == 0);
    std::string question = co_await ReadAll(*pair.server);
    CHECK(question == "question");
    CHECK_FALSE(pair.server->truncated());
    put = co_await pair.server->Write("answer");
    CHECK(put.error == 0);
    // No close_notify: only the socket ends.
    pair.server.reset();
    std::string answer = co_await ReadAll(*pair.client);
    CHECK(answer == "answer");
    CHECK(pair.client->truncated());
  };
  RunOnLoop(body);
}

TEST_CASE("tls: returns data after the records of a large read", "[net]") {
  Pki pki;
  const std::string sent(40 * 1024, 's');
  std::string buffer(64 * 1024, '\0');
  const bool garbage = GENERATE(false, true);
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    TlsPair pair = co_await Shake(
        loop, *net::TlsContext::Server(pki.ServerOptions()),
        *net::TlsContext::Client(pki.ClientOptions()), "server.test");
    net::IoResult put = co_await pair.client->Write(sent);
    CHECK(put.error == 0);
    if (garbage) {
      REQUIRE(write(pair.client->fd(), "no record of TLS", 16) == 16);
    } else {
      net::IoResult end = co_await pair.client->Finish();
      CHECK(end.error == 0);
    }
    net::IoResult got = co_await pair.server->Read(&buffer[0], buffer.size());
    CHECK(got.error == 0);
    CHECK(buffer.substr(0, got.bytes) == sent);
    CHECK_FALSE(pair.server->IsQuiet());
    for (int again = 0; again < 2; ++again) {
      got = co_await pair.server->Read(&buffer[0], buffer.size());
      CHECK(got.bytes == 0);
      CHECK(got.error == (garbage ? EPROTO : 0));
    }
    CHECK_FALSE(pair.server->truncated());
  };
  RunOnLoop(body);
}

TEST_CASE("tls: a farewell behind a large read counts before the socket's end",
          "[net]") {
  Pki pki;
  const std::string sent(40 * 1024, 's');
  std::string buffer(64 * 1024, '\0');
  SocketPair near = NewSocketPair(), far = NewSocketPair();
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto server = *net::TlsStream::Create(
        loop, std::move(far.a), *net::TlsContext::Server(pki.ServerOptions()));
    auto client = *net::TlsStream::Create(
        loop, std::move(near.a), *net::TlsContext::Client(pki.ClientOptions()),
        {"server.test", ""});
    server->ExpireAfter(kWaitTimeout);
    client->ExpireAfter(kWaitTimeout);
    auto near_end = NewStream(loop, std::move(near.b));
    auto far_end = NewStream(loop, std::move(far.b));
    net::Latch there(loop, 1), back(loop, 1), shaken(loop, 1);
    // Bytes pass, the end does not.
    auto pass = [](net::Stream& from, net::Stream& to,
                   net::Latch& ended) -> net::Task<void> {
      std::string bytes(4096, '\0');
      for (;;) {
        net::IoResult got = co_await from.Read(&bytes[0], bytes.size());
        if (got.error != 0 || got.bytes == 0) break;
        net::IoResult put = co_await to.Write({bytes.data(), got.bytes});
        if (put.error != 0) break;
      }
      ended.CountDown();
    };
    auto serve = [&]() -> net::Task<void> {
      absl::Status status = co_await server->Handshake();
      CHECK_THAT(status, IsOk());
      shaken.CountDown();
    };
    loop.Spawn(pass(*near_end, *far_end, there));
    loop.Spawn(pass(*far_end, *near_end, back));
    loop.Spawn(serve());
    absl::Status status = co_await client->Handshake();
    CHECK_THAT(status, IsOk());
    co_await shaken.Wait();
    net::IoResult put = co_await client->Write(sent);
    CHECK(put.error == 0);
    net::IoResult end = co_await client->Finish();
    CHECK(end.error == 0);
    co_await there.Wait();
    net::IoResult got = co_await server->Read(&buffer[0], buffer.size());
    CHECK(buffer.substr(0, got.bytes) == sent);
    got = co_await server->Read(&buffer[0], buffer.size());
    CHECK(got.bytes == 0);
    CHECK(got.error == 0);
    far_end->Cancel();
    co_await back.Wait();
  };
  RunOnLoop(body);
}

TEST_CASE("tls: 8 MiB through a relay with TLS on both sides", "[net]") {
  Pki pki;
  const std::string block(48 * 1024, 'z');
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto server = *net::TlsContext::Server(pki.ServerOptions());
    auto client = *net::TlsContext::Client(pki.ClientOptions());
    TlsPair front = co_await Shake(loop, server, client, "server.test");
    TlsPair back = co_await Shake(loop, server, client, "server.test");
    bool ended = false;
    auto relay = [&]() -> net::Task<void> {
      net::RelayResult result =
          co_await net::Relay(*front.server, *back.client, {});
      CHECK(result.error == 0);
      CHECK(result.a_to_b_bytes == 170 * block.size());
      ended = true;
    };
    auto writer = [&]() -> net::Task<void> {
      for (int i = 0; i < 170; ++i) {
        net::IoResult put = co_await front.client->Write(block);
        CHECK(put.error == 0);
      }
      net::IoResult end = co_await front.client->Finish();
      CHECK(end.error == 0);
    };
    loop.Spawn(relay());
    loop.Spawn(writer());
    std::string all = co_await ReadAll(*back.server);
    CHECK(all.size() == 170 * block.size());
    net::IoResult end = co_await back.server->Finish();
    CHECK(end.error == 0);
    while (!ended) co_await loop.Yield();
  };
  RunOnLoop(body);
}

TEST_CASE("tls: a session is resumed", "[net]") {
  Pki pki;
  auto body = [&](net::EventLoop& loop) -> net::Task<void> {
    auto server = *net::TlsContext::Server(pki.ServerOptions());
    auto client = *net::TlsContext::Client(pki.ClientOptions());
    net::TlsSession session;
    for (bool again : {false, true}) {
      TlsPair pair =
          co_await Shake(loop, server, client, "server.test", session);
      CHECK(pair.client->resumed() == again);
      net::IoResult put = co_await pair.server->Write("x");
      CHECK(put.error == 0);
      char byte;
      net::IoResult got = co_await pair.client->Read(&byte, 1);
      CHECK(got.bytes == 1);
      session = pair.client->session();
      CHECK(session != nullptr);
      CHECK(pair.client->IsQuiet());
    }
  };
  RunOnLoop(body);
}

}  // namespace
}  // namespace carme::testing
