// The server without a gateway: reading, responses, limits and shutdown.
#include "frontend/http/http_server.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/listen.h"
#include "tests/frontend/http_client.h"
#include "tests/support/wait_for.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::Request;

// Responds with the request: "POST /path body".
HttpResponse Echo(const HttpRequest& request) {
  HttpResponse response;
  if (request.path == "/empty") {
    response.status = 304;
    return response;
  }
  response.Set("Content-Type", "text/plain");
  response.body =
      absl::StrCat(request.method, " ", request.path, " ", request.body);
  return response;
}

class TestServer {
 public:
  explicit TestServer(
      ServerOptions options = {},
      std::function<HttpResponse(const HttpRequest&)> answer = Echo) {
    UniqueFd listening = *ListenTcp("127.0.0.1:0");
    port_ = *PortOf(listening.get());
    server_ = *HttpServer::Start(
        std::move(listening), options,
        {std::move(answer), [](const HttpError& error) {
           return HttpResponse{.status = error.status, .body = error.message};
         }});
  }
  HttpClient Connect() const { return HttpClient(port_); }
  HttpServer& server() { return *server_; }

 private:
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
};

// One time-out is short, so that nothing else can end the connection.
ServerOptions WithShort(absl::Duration ReadLimits::*time) {
  ServerOptions options;
  options.connection.read.*time = absl::Milliseconds(200);
  return options;
}

TEST_CASE("server: ends a connection after a refused request", "[frontend]") {
  const TestServer server;
  struct Row {
    std::string request;
    int status;
  };
  const std::string host = "Host: carme.test\r\n";
  const Row rows[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\n" + host + "\r\n", 411},
      {"POST / HTTP/1.1\r\n" + host +
           "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
       411},
      {"GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 65537\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999\r\n\r\n",
       413},
      {"GET / HTTP/1.1\n" + host + "\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "A: b\n", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 2\r\nExpect: b\r\n\r\n",
       417},
      {"GET / HTTP/1.1\r\n" + host + "A: " + std::string(17000, 'a') +
           "\r\n\r\n",
       431},
      {std::string(20000, 'a'), 431},
  };
  for (const Row& row : rows) {
    CAPTURE(row.request.substr(0, 60));
    HttpClient client = server.Connect();
    // The following bytes must not be parsed as a request.
    client.Send(row.request + Request("GET", "/smuggled"));
    const HttpAnswer answer = client.Read();
    CHECK(answer.status == row.status);
    CHECK(answer.Header("connection") == "close");
    CHECK(client.ReadsEnd());
  }
}

TEST_CASE("server: refuses a request that arrives too slowly", "[frontend]") {
  const TestServer of_heads(WithShort(&ReadLimits::head));
  HttpClient head = of_heads.Connect();
  CHECK(head.Ask("GET / HTT").status == 408);
  const TestServer of_bodies(WithShort(&ReadLimits::body));
  HttpClient body = of_bodies.Connect();
  CHECK(body.Ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            .status == 408);
}

TEST_CASE("server: closes an idle connection without a response",
          "[frontend]") {
  const TestServer at_first(WithShort(&ReadLimits::first));
  CHECK(at_first.Connect().ReadsEnd());
  const TestServer afterwards(WithShort(&ReadLimits::idle));
  HttpClient client = afterwards.Connect();
  CHECK(client.Ask(Request("GET", "/")).status == 200);
  CHECK(client.ReadsEnd());
}

TEST_CASE("server: responds 503 beyond its connection limit", "[frontend]") {
  ServerOptions options;
  options.max_connections = 2;
  const TestServer server(options);
  HttpClient first = server.Connect();
  HttpClient second = server.Connect();
  CHECK(first.Ask(Request("GET", "/")).status == 200);
  CHECK(second.Ask(Request("GET", "/")).status == 200);
  HttpClient third = server.Connect();
  const HttpAnswer refused = third.Read();
  CHECK(refused.status == 503);
  CHECK(refused.body.find("too many connections") != std::string::npos);
  first.Close();
  CHECK(testing::WaitFor(
      [&] { return server.Connect().Ask(Request("GET", "/")).status == 200; }));
}

TEST_CASE("server: many requests use one connection", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  for (int i = 0; i < 100; ++i) {
    const std::string body = absl::StrCat("body ", i);
    const HttpAnswer answer = client.Ask(Request("POST", "/a", "", body));
    REQUIRE(answer.body == "POST /a " + body);
    REQUIRE(answer.Header("connection").empty());
  }
}

TEST_CASE("server: responds to pipelined requests in order", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  client.Send(Request("POST", "/1", "", "one") + Request("GET", "/2") +
              Request("POST", "/3", "", "three"));
  CHECK(client.Read().body == "POST /1 one");
  CHECK(client.Read().body == "GET /2 ");
  CHECK(client.Read().body == "POST /3 three");
}

TEST_CASE("server: accepts a request one byte at a time", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  for (const char c : Request("POST", "/a", "", "xyz")) {
    client.Send(std::string(1, c));
  }
  CHECK(client.Read().body == "POST /a xyz");
}

TEST_CASE("server: sends 100 to a client that expects it", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  client.Send(
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
      "Expect: 100-continue\r\n\r\n");
  CHECK(client.ReadHead().status == 100);
  client.Send("xyz");
  CHECK(client.Read().body == "POST /a xyz");
}

TEST_CASE("server: HEAD has the length and no body", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  client.Send(Request("HEAD", "/a") + Request("GET", "/b"));
  const HttpAnswer head = client.Read(false);
  CHECK(head.status == 200);
  CHECK(head.Header("content-length") == "8");
  CHECK(client.Read().body == "GET /b ");
}

TEST_CASE("server: does not name itself, send ranges or compress",
          "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  const HttpAnswer answer = client.Ask(
      Request("GET", "/a", "Range: bytes=0-1\r\nAccept-Encoding: gzip\r\n"));
  CHECK(answer.status == 200);
  CHECK(answer.body == "GET /a ");
  for (const char* name : {"server", "keep-alive", "accept-ranges",
                           "content-range", "content-encoding"}) {
    CAPTURE(name);
    CHECK(answer.Header(name).empty());
  }
  const HttpAnswer unchanged = client.Ask(Request("GET", "/empty"));
  CHECK(unchanged.status == 304);
  CHECK(unchanged.Header("content-length").empty());
}

TEST_CASE("server: closes if the client requests it", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  const HttpAnswer answer =
      client.Ask(Request("GET", "/", "Connection: close\r\n"));
  CHECK(answer.Header("connection") == "close");
  CHECK(client.ReadsEnd());
}

TEST_CASE("server: stopping completes requests and closes idle connections",
          "[frontend]") {
  absl::Notification started;
  absl::Notification go_on;
  TestServer server({}, [&](const HttpRequest& request) {
    if (request.path == "/slow") {
      started.Notify();
      go_on.WaitForNotification();
    }
    return Echo(request);
  });
  HttpClient silent = server.Connect();
  CHECK(silent.Ask(Request("GET", "/")).status == 200);
  HttpClient busy = server.Connect();
  busy.Send(Request("GET", "/slow"));
  started.WaitForNotification();
  std::thread stopping([&] { server.server().Stop(); });
  CHECK(silent.ReadsEnd());
  go_on.Notify();
  const HttpAnswer last = busy.Read();
  CHECK(last.body == "GET /slow ");
  CHECK(last.Header("connection") == "close");
  CHECK(busy.ReadsEnd());
  stopping.join();
  CHECK(server.Connect().Ask(Request("GET", "/")).status == 0);
}

}  // namespace
}  // namespace carme::frontend
