#include "frontend/http/response_writer.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "common/unique_fd.h"

namespace carme::frontend {
namespace {

// A client's and the server's end of one connection; the server's does not
// block.
struct Pair {
  Pair() {
    int ends[2] = {-1, -1};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    client = UniqueFd(ends[0]);
    server = UniqueFd(ends[1]);
    fcntl(server.get(), F_SETFL, O_NONBLOCK);
  }
  // All bytes up to the end of the server's side.
  std::string ReadAll() {
    server.reset();
    std::string all;
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    while ((got = read(client.get(), bytes.data(), bytes.size())) > 0) {
      all.append(bytes.data(), static_cast<size_t>(got));
    }
    return all;
  }
  UniqueFd client;
  UniqueFd server;
  UniqueFd stop{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

TEST_CASE("response: a field cannot end the head", "[frontend]") {
  HttpResponse response;
  response.Set("X-A", "1\r\nSet-Cookie: a=b");
  response.Set("X-B\r\nX-C", "2");
  response.Set("X-D", "\n");
  response.Set("X-E", "good");
  CHECK(ResponseHeadText(response, false) ==
        "HTTP/1.1 200 OK\r\nX-E: good\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("response: its head declares how the body ends", "[frontend]") {
  HttpResponse response{.body = "abc"};
  CHECK(ResponseHeadText(response, true) ==
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
  response = {.status = 304};
  CHECK(ResponseHeadText(response, false) ==
        "HTTP/1.1 304 Not Modified\r\n\r\n");
  response = {.status = 299, .stream = [](HttpStream&) {}};
  CHECK(ResponseHeadText(response, false) ==
        "HTTP/1.1 299 \r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_CASE("response: HEAD has no body", "[frontend]") {
  Pair pair;
  ResponseWriter writer(pair.server.get(), pair.stop.get(), absl::Seconds(10));
  CHECK(writer.Write({.body = "abc"}, false, false));
  CHECK(pair.ReadAll() == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
}

TEST_CASE("response: a stream is sent in chunks", "[frontend]") {
  Pair pair;
  ResponseWriter writer(pair.server.get(), pair.stop.get(), absl::Seconds(10));
  bool ended = true;
  CHECK(writer.Write({.stream =
                          [&](HttpStream& out) {
                            out.Write("hello");
                            out.Write("");  // would end the body
                            out.Write(" world");
                            ended = out.Ended();
                          }},
                     true, false));
  CHECK_FALSE(ended);
  CHECK(pair.ReadAll() ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
}

TEST_CASE("response: a stream ends when the server stops", "[frontend]") {
  Pair pair;
  ResponseWriter writer(pair.server.get(), pair.stop.get(), absl::Seconds(10));
  eventfd_write(pair.stop.get(), 1);
  bool ended = false;
  CHECK(writer.Write({.stream =
                          [&](HttpStream& out) {
                            ended = out.Ended();
                            out.Write("last");
                          }},
                     true, false));
  CHECK(ended);
}

TEST_CASE("response: a disconnected client ends its stream", "[frontend]") {
  Pair pair;
  ResponseWriter writer(pair.server.get(), pair.stop.get(), absl::Seconds(10));
  bool sent = true;
  bool ended = false;
  CHECK_FALSE(writer.Write({.stream =
                                [&](HttpStream& out) {
                                  pair.client.reset();
                                  sent = out.Write("hello");
                                  ended = out.Ended();
                                }},
                           true, false));
  CHECK_FALSE(sent);
  CHECK(ended);
  CHECK_FALSE(writer.Write({.body = "abc"}, true, false));
}

TEST_CASE("response: a client that accepts no bytes is given up",
          "[frontend]") {
  Pair pair;
  ResponseWriter writer(pair.server.get(), pair.stop.get(),
                        absl::Milliseconds(100));
  CHECK_FALSE(writer.Write({.body = std::string(8 << 20, 'a')}, true, false));
}

}  // namespace
}  // namespace carme::frontend
