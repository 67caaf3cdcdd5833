// The server without a gateway: what cpp-httplib does with bytes, its limits
// and its shutdown.
#include "frontend/http/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/listen.h"
#include "tests/frontend/http_client.h"
#include "tests/support/status_matchers.h"
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
      std::function<HttpResponse(const HttpRequest&)> answer = Echo)
      : server_(
            *HttpServer::Start("127.0.0.1:0", options,
                               {std::move(answer), [](const HttpError& error) {
                                  return HttpResponse{.status = error.status,
                                                      .body = error.message};
                                }})) {}
  HttpClient Connect() const { return HttpClient(server_->port()); }
  HttpServer& server() { return *server_; }
  int port() const { return server_->port(); }

 private:
  std::unique_ptr<HttpServer> server_;
};

// A stream of one path.
HttpResponse Stream(std::function<void(HttpStream&)> run) {
  HttpResponse response{.stream = std::move(run)};
  response.Set("Content-Type", "application/connect+json");
  return response;
}

// The socket of this process that listens on the port.
int ListeningOn(int port) {
  for (int fd = 3; fd < 1024; ++fd) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 &&
        listens != 0 && PortOf(fd).value_or(-1) == port) {
      return fd;
    }
  }
  return -1;
}

TEST_CASE("server: its socket has room for bursts and is not shared",
          "[frontend]") {
  const TestServer server;
  const int listening = ListeningOn(server.port());
  tcp_info info{};
  socklen_t size = sizeof info;
  REQUIRE(getsockopt(listening, IPPROTO_TCP, TCP_INFO, &info, &size) == 0);
  CHECK(info.tcpi_sacked == 512);  // the backlog of a listening socket
  int shared = -1;
  size = sizeof shared;
  getsockopt(listening, SOL_SOCKET, SO_REUSEPORT, &shared, &size);
  CHECK(shared == 0);
}

TEST_CASE("server: refuses to listen on a name or a port in use",
          "[frontend]") {
  const auto start = [](const std::string& address) {
    return HttpServer::Start(address, {}, {}).status();
  };
  CHECK_THAT(start("localhost:0"),
             StatusIs(absl::StatusCode::kInvalidArgument, "localhost"));
  const UniqueFd taken = *ListenTcp("127.0.0.1:0");
  CHECK_FALSE(start(absl::StrCat("127.0.0.1:", *PortOf(taken.get()))).ok());
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
      {"GET /\r\n\r\n", 400},
      {"GET / HTTP/2\r\n\r\n", 400},
      {"G(T / HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.0\r\n" + host + "\r\n", 505},
      {"TRACE / HTTP/1.1\r\n" + host + "\r\n", 501},
      {"GET https://carme.test/ HTTP/1.1\r\n" + host + "\r\n", 400},
      {"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n" + host + "\r\n", 414},
      {"POST / HTTP/1.1\r\n" + host + "\r\n", 411},
      {"POST / HTTP/1.1\r\n" + host +
           "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
       411},
      {"GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", 400},
      {"PUT / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", 400},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 65537\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999\r\n\r\n",
       413},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 2\r\nExpect: b\r\n\r\n",
       417},
      {"POST / HTTP/1.1\r\n" + host +
           "Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\n",
       501},
      {"POST / HTTP/1.1\r\n" + host +
           "Content-Length: 2\r\n"
           "Content-Type: multipart/form-data; boundary=a\r\n\r\n",
       415},
      {"GET / HTTP/1.1\r\n" + host + "Range: bytes=0-1,0-1\r\n\r\n", 416},
      {"GET / HTTP/1.1\r\n" + host + "Range: nonsense\r\n\r\n", 416},
      {"GET / HTTP/1.1\r\n" + host + "A: " + std::string(8192, 'a') +
           "\r\n\r\n",
       400},
      {"GET / HTTP/1.1\r\n" + host + "A: " + std::string(8000, 'a') +
           "\r\nB: " + std::string(8000, 'a') +
           "\r\nC: " + std::string(8000, 'a') + "\r\n\r\n",
       431},
  };
  for (const Row& row : rows) {
    CAPTURE(row.request.substr(0, 60));
    HttpClient client = server.Connect();
    // The following bytes must not be parsed as a request.
    client.Send(row.request + Request("GET", "/smuggled"));
    const HttpAnswer answer = client.Read();
    CHECK(answer.status == row.status);
    CHECK(answer.Header("connection") == "close");
    CHECK(answer.body.find("/smuggled") == std::string::npos);
    CHECK(client.ReadsEnd());
  }
}

TEST_CASE("server: refuses a body that arrives too slowly", "[frontend]") {
  const std::string start =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc";
  const TestServer silent({.read_timeout = absl::Milliseconds(200)});
  CHECK(silent.Connect().Ask(start).status == 408);
  // No single read takes long.
  const TestServer slow({.body_timeout = absl::Milliseconds(200)});
  HttpClient client = slow.Connect();
  client.Send(start);
  absl::Notification answered;
  std::thread sending([&] {
    while (!answered.WaitForNotificationWithTimeout(absl::Milliseconds(150))) {
      client.Send("a");
    }
  });
  const HttpAnswer answer = client.Read();
  answered.Notify();
  sending.join();
  CHECK(answer.status == 408);
}

TEST_CASE("server: closes an idle connection without a response",
          "[frontend]") {
  const TestServer server({.idle_timeout = absl::ZeroDuration()});
  CHECK(server.Connect().ReadsEnd());
}

TEST_CASE("server: responds 503 beyond its connection limit", "[frontend]") {
  absl::Notification go_on;
  absl::Mutex mutex;
  int held = 0;
  ServerOptions options;
  options.max_connections = 2;
  const TestServer server(options, [&](const HttpRequest& request) {
    if (request.path == "/held") {
      {
        absl::MutexLock lock(&mutex);
        ++held;
      }
      go_on.WaitForNotification();
    }
    return Echo(request);
  });
  HttpClient first = server.Connect();
  HttpClient second = server.Connect();
  first.Send(Request("GET", "/held"));
  second.Send(Request("GET", "/held"));
  REQUIRE(testing::WaitFor([&] {
    absl::MutexLock lock(&mutex);
    return held == 2;
  }));
  // More than the threads that refuse.
  std::vector<std::unique_ptr<HttpClient>> more;
  for (int i = 0; i < 20; ++i) {
    more.push_back(std::make_unique<HttpClient>(server.Connect()));
    more.back()->Send(Request("POST", "/", "", "body"));
  }
  for (const auto& client : more) {
    const HttpAnswer refused = client->Read();
    CHECK(refused.status == 503);
    CHECK(refused.Header("retry-after") == "2");
    CHECK(refused.body.find("too many connections") != std::string::npos);
  }
  go_on.Notify();
  CHECK(first.Read().body == "GET /held ");
  CHECK(second.Read().body == "GET /held ");
  CHECK(testing::WaitFor(
      [&] { return server.Connect().Ask(Request("GET", "/")).status == 200; }));
}

TEST_CASE("server: serves one request a connection", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  client.Send(Request("POST", "/1", "", "one") + Request("GET", "/2"));
  const HttpAnswer answer = client.Read();
  CHECK(answer.body == "POST /1 one");
  CHECK(answer.Header("connection") == "close");
  CHECK(client.ReadsEnd());
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

TEST_CASE("server: returns values as the proxy's client sent them",
          "[frontend]") {
  const TestServer server({}, [](const HttpRequest& request) {
    return HttpResponse{.body =
                            absl::StrCat(std::string(request.headers.Get("a")),
                                         request.from_proxy ? "" : "!")};
  });
  for (const char* value : {"%", "%%", "%3B", "%253B", "%u003b", "%0d%0a",
                            "%00", "a%2", "+", "%25"}) {
    CAPTURE(value);
    CHECK(server.Connect()
              .Ask(Request("GET", "/", absl::StrCat("A: ", value, "\r\n")))
              .body == value);
  }
}

TEST_CASE("server: HEAD has the length and no body", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  client.Send(Request("HEAD", "/a"));
  const HttpAnswer head = client.Read(false);
  CHECK(head.status == 200);
  CHECK(head.Header("content-length") == "8");
  CHECK(head.Header("accept-ranges").empty());
  CHECK(client.ReadsEnd());
}

TEST_CASE("server: does not name itself or compress", "[frontend]") {
  const TestServer server({}, [](const HttpRequest& request) {
    if (request.path == "/empty") return HttpResponse{.status = 304};
    if (request.path == "/stream") {
      return Stream([](HttpStream& out) { out.Write(std::string(9000, 'a')); });
    }
    HttpResponse response{.body = std::string(9000, 'a')};
    response.Set("Content-Type",
                 request.path == "/html" ? "text/html" : "application/json");
    return response;
  });
  for (const char* path : {"/html", "/json", "/stream"}) {
    CAPTURE(path);
    const HttpAnswer answer = server.Connect().Ask(
        Request("GET", path, "Accept-Encoding: br, gzip\r\n"));
    CHECK(answer.status == 200);
    CHECK(answer.body == std::string(9000, 'a'));
    for (const char* name : {"server", "keep-alive", "accept-ranges",
                             "content-range", "content-encoding"}) {
      CAPTURE(name);
      CHECK(answer.Header(name).empty());
    }
  }
  const HttpAnswer unchanged = server.Connect().Ask(Request("GET", "/empty"));
  CHECK(unchanged.status == 304);
  CHECK(unchanged.Header("content-length").empty());
}

TEST_CASE("server: a field of a response cannot end the head", "[frontend]") {
  const TestServer server({}, [](const HttpRequest&) {
    HttpResponse response{.body = "abc"};
    response.Set("X-A", "1\r\nSet-Cookie: a=b");
    response.Set("X-B\r\nX-C", "2");
    response.Set("X-D", "\n");
    response.Set("X-E", "good");
    response.Set("Content-Type", "text/plain\r\nX-F: a");
    response.Set("X-G", "a\x01");
    response.Set("X H", "b");
    return response;
  });
  const HttpAnswer answer = server.Connect().Ask(Request("GET", "/"));
  CHECK(answer.body == "abc");
  CHECK(answer.Header("x-e") == "good");
  for (const char* name :
       {"x-a", "set-cookie", "x-b", "x-c", "x-d", "x-f", "x-g", "x h"}) {
    CAPTURE(name);
    CHECK(answer.Header(name).empty());
  }
}

TEST_CASE("server: an exception of a handler is an error without its text",
          "[frontend]") {
  const TestServer server({}, [](const HttpRequest&) -> HttpResponse {
    throw std::runtime_error("secret");
  });
  const HttpAnswer answer = server.Connect().Ask(Request("GET", "/"));
  CHECK(answer.status == 500);
  CHECK(answer.body == "internal error");
  CHECK(answer.Header("exception_what").empty());
}

TEST_CASE("server: a stream is sent in chunks, at once", "[frontend]") {
  absl::Notification go_on;
  std::atomic<bool> ended = true;
  const TestServer server({}, [&](const HttpRequest&) {
    return Stream([&](HttpStream& out) {
      out.Write("hello");
      go_on.WaitForNotification();
      out.Write("");  // would end the body
      out.Write(" world");
      ended = out.Ended();
    });
  });
  HttpClient client = server.Connect();
  client.Send(Request("POST", "/", "", "{}"));
  CHECK(client.ReadHead().Header("transfer-encoding") == "chunked");
  CHECK(client.ReadChunk() == "hello");
  go_on.Notify();
  CHECK(client.ReadChunk() == " world");
  CHECK_FALSE(client.ReadChunk().has_value());
  CHECK(client.ReadsEnd());
  CHECK_FALSE(ended);
}

TEST_CASE("server: a disconnected client ends its stream", "[frontend]") {
  absl::Notification closed;
  absl::Notification done;
  bool sent = true;
  bool ended = false;
  const TestServer server({}, [&](const HttpRequest&) {
    return Stream([&](HttpStream& out) {
      out.Write("hello");
      closed.WaitForNotification();
      ended = testing::WaitFor([&] { return out.Ended(); });
      sent = out.Write("more");
      done.Notify();
    });
  });
  HttpClient client = server.Connect();
  client.Send(Request("POST", "/", "", "{}"));
  client.ReadHead();
  CHECK(client.ReadChunk() == "hello");
  client.Close();
  closed.Notify();
  done.WaitForNotification();
  CHECK(ended);
  CHECK_FALSE(sent);
}

TEST_CASE("server: closes a client that does not read", "[frontend]") {
  absl::Notification done;
  bool sent = true;
  const TestServer server({.write_timeout = absl::Milliseconds(100)},
                          [&](const HttpRequest&) {
                            return Stream([&](HttpStream& out) {
                              sent = out.Write(std::string(32 << 20, 'a'));
                              done.Notify();
                            });
                          });
  HttpClient client = server.Connect();
  client.Send(Request("POST", "/", "", "{}"));
  done.WaitForNotification();
  CHECK_FALSE(sent);
}

TEST_CASE("server: stopping completes requests and ends streams",
          "[frontend]") {
  absl::Notification started;
  absl::Notification go_on;
  TestServer server({}, [&](const HttpRequest& request) {
    if (request.path == "/stream") {
      return Stream([](HttpStream& out) {
        testing::WaitFor([&] { return out.Ended(); });
        out.Write("last");
      });
    }
    started.Notify();
    go_on.WaitForNotification();
    return Echo(request);
  });
  HttpClient silent = server.Connect();
  HttpClient stream = server.Connect();
  stream.Send(Request("POST", "/stream", "", "{}"));
  CHECK(stream.ReadHead().status == 200);
  HttpClient busy = server.Connect();
  busy.Send(Request("GET", "/slow"));
  started.WaitForNotification();
  std::thread stopping([&] { server.server().Stop(); });
  CHECK(stream.ReadChunk() == "last");
  CHECK_FALSE(stream.ReadChunk().has_value());
  CHECK(silent.ReadsEnd());
  CHECK(server.Connect().Ask(Request("GET", "/")).status == 503);
  go_on.Notify();
  CHECK(busy.Read().body == "GET /slow ");
  CHECK(busy.ReadsEnd());
  stopping.join();
  CHECK(server.Connect().Ask(Request("GET", "/")).status == 0);
}

TEST_CASE("server: listens again after accept failed", "[frontend]") {
  const TestServer server;
  HttpClient client = server.Connect();
  CHECK(client.Ask(Request("GET", "/")).status == 200);
  REQUIRE(shutdown(ListeningOn(server.port()), SHUT_RDWR) == 0);
  CHECK(testing::WaitFor(
      [&] { return server.Connect().Ask(Request("GET", "/")).status == 200; }));
}

}  // namespace
}  // namespace carme::frontend
