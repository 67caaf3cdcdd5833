#include "frontend/http/incoming_request.h"

#include <httplib.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carme::frontend {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// As the library parses a request.
httplib::Request Parsed(const std::string& method, const std::string& target,
                        const Fields& fields) {
  httplib::Request parsed;
  parsed.method = method;
  parsed.target = target;
  parsed.version = "HTTP/1.1";
  parsed.remote_addr = "192.0.2.1";
  parsed.headers = {{"Host", "carme.test"},       {"X-Carme-Escape-Probe", "%"},
                    {"REMOTE_ADDR", "192.0.2.1"}, {"REMOTE_PORT", "1"},
                    {"LOCAL_ADDR", "127.0.0.1"},  {"LOCAL_PORT", "2"}};
  for (const auto& [name, value] : fields) parsed.headers.emplace(name, value);
  return parsed;
}

// The status of the refusal; 0: accepted.
int StatusOf(const httplib::Request& parsed, IncomingRequest* incoming) {
  const auto refusal = ConvertRequest(parsed, incoming);
  return refusal ? refusal->status : 0;
}

int StatusOf(const httplib::Request& parsed) {
  IncomingRequest incoming;
  return StatusOf(parsed, &incoming);
}

int StatusOfGet(const Fields& fields) {
  return StatusOf(Parsed("GET", "/", fields));
}

TEST_CASE("incoming request: refuses requests that the library accepts",
          "[frontend]") {
  httplib::Request old = Parsed("GET", "/", {});
  old.version = "HTTP/1.0";
  CHECK(StatusOf(old) == 505);
  for (const char* method : {"CONNECT", "TRACE", "PRI"}) {
    CHECK(StatusOf(Parsed(method, "/", {})) == 501);
  }
  CHECK(StatusOf(Parsed("OPTIONS", "*", {})) == 400);
  CHECK(StatusOf(Parsed("GET", "https://carme.test/", {})) == 400);
  CHECK(StatusOf(Parsed("GET", "", {})) == 400);
  CHECK(StatusOf(Parsed("GET", "/\x80", {})) == 400);
  CHECK(StatusOf(Parsed("GET", "/\t", {})) == 400);
  CHECK(StatusOf(Parsed("GET", std::string("/\0", 2), {})) == 400);
  CHECK(StatusOf(Parsed("GET", "/" + std::string(1024, 'a'), {})) == 414);
  httplib::Request nowhere = Parsed("GET", "/", {});
  nowhere.headers.erase("Host");
  CHECK(StatusOf(nowhere) == 400);
}

TEST_CASE("incoming request: refuses malformed and repeated header fields",
          "[frontend]") {
  CHECK(StatusOfGet({{"Cookie ", "a"}}) == 400);
  CHECK(StatusOfGet({{"", "a"}}) == 400);
  CHECK(StatusOfGet({{"A", std::string("a\0", 2)}}) == 400);
  CHECK(StatusOfGet({{"A", "a\r\nB: c"}}) == 400);
  CHECK(StatusOfGet({{"A", "\x7f"}}) == 400);
  CHECK(StatusOfGet({{"host", "carme.test"}}) == 400);
  CHECK(StatusOfGet({{"Cookie", "a=1"}, {"cookie", "b=2"}}) == 400);
  CHECK(StatusOfGet({{"Content-Length", "0"}, {"content-length", "0"}}) == 400);
  CHECK(StatusOfGet({{"x-carme-escape-probe", "%25"}}) == 400);
}

TEST_CASE("incoming request: refuses too many or too large header fields",
          "[frontend]") {
  CHECK(StatusOfGet({{"A", std::string(16000, 'a')}}) == 0);
  CHECK(StatusOfGet({{"A", std::string(8192, 'a')},
                     {"B", std::string(8192, 'a')}}) == 431);
  Fields fields;
  for (int i = 0; i < 62; ++i) fields.push_back({"X-" + std::to_string(i), ""});
  CHECK(StatusOfGet(fields) == 0);
  fields.push_back({"X", ""});
  CHECK(StatusOfGet(fields) == 431);
}

TEST_CASE("incoming request: refuses headers that the library would apply",
          "[frontend]") {
  CHECK(StatusOfGet({{"Range", "bytes=0-1"}}) == 416);
  const Fields length = {{"Content-Length", "2"}};
  const auto post = [&](const std::string& name, const std::string& value) {
    Fields fields = length;
    fields.push_back({name, value});
    return StatusOf(Parsed("POST", "/", fields));
  };
  CHECK(post("Content-Encoding", "gzip") == 501);
  CHECK(post("Content-Encoding", "identity, br") == 501);
  CHECK(post("Content-Type", "Multipart/form-data; boundary=a") == 415);
  CHECK(post("Expect", "tea") == 417);
  CHECK(post("Transfer-Encoding", "chunked") == 411);
  CHECK(post("Transfer-Encoding", "identity") == 411);
  CHECK(post("Content-Encoding", "identity") == 0);
  CHECK(post("Expect", "100-continue") == 0);
}

TEST_CASE("incoming request: a body has a length in digits, or is refused",
          "[frontend]") {
  struct Row {
    const char* method;
    const char* length;
    int status;
  };
  const Row rows[] = {
      {"POST", "-1", 400},    {"POST", "+1", 400},
      {"POST", "0x1", 400},   {"POST", "1, 1", 400},
      {"POST", "1 ", 400},    {"POST", "99999999999999999999", 400},
      {"POST", "65537", 413}, {"POST", "65536", 0},
      {"GET", "2", 400},      {"HEAD", "2", 400},
      {"DELETE", "2", 400},   {"PUT", "2", 400},
      {"GET", "0", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.method, row.length);
    CHECK(StatusOf(Parsed(row.method, "/", {{"Content-Length", row.length}})) ==
          row.status);
  }
  CHECK(StatusOf(Parsed("POST", "/", {})) == 411);
}

TEST_CASE("incoming request: returns method, path and body", "[frontend]") {
  httplib::Request parsed =
      Parsed("POST", "/a/%2e%2e?b=c",
             {{"Cookie", "a=%41"}, {"X-Empty", ""}, {"Content-Length", "7"}});
  parsed.path = "/a/..";
  IncomingRequest incoming;
  REQUIRE(StatusOf(parsed, &incoming) == 0);
  CHECK(incoming.request.method == "POST");
  CHECK(incoming.request.path == "/a/%2e%2e");
  CHECK(incoming.request.query == "b=c");
  CHECK(incoming.request.headers.Get("cookie") == "a=%41");
  CHECK(incoming.request.headers.Find("x-empty") != nullptr);
  CHECK(incoming.request.headers.Find("remote_addr") == nullptr);
  CHECK(incoming.request.peer == "192.0.2.1");
  CHECK(incoming.request.from_proxy);
  CHECK(incoming.content_length == 7);
}

TEST_CASE("incoming request: unescapes if the library does not decode",
          "[frontend]") {
  httplib::Request parsed = Parsed("GET", "/", {{"Cookie", "a=%2541"}});
  parsed.headers.find("x-carme-escape-probe")->second = "%25";
  IncomingRequest incoming;
  REQUIRE(StatusOf(parsed, &incoming) == 0);
  CHECK(incoming.request.headers.Get("cookie") == "a=%41");
  CHECK(incoming.request.from_proxy);
}

TEST_CASE("incoming request: recognizes one that did not come from the proxy",
          "[frontend]") {
  httplib::Request parsed = Parsed("GET", "/", {});
  auto probe = parsed.headers.find("x-carme-escape-probe");
  for (const char* value : {"", "%2525", "25", "% "}) {
    CAPTURE(value);
    probe->second = value;
    IncomingRequest incoming;
    REQUIRE(StatusOf(parsed, &incoming) == 0);
    CHECK_FALSE(incoming.request.from_proxy);
  }
  parsed.headers.erase(probe);
  IncomingRequest incoming;
  REQUIRE(StatusOf(parsed, &incoming) == 0);
  CHECK_FALSE(incoming.request.from_proxy);
}

}  // namespace
}  // namespace carme::frontend
