// The PROXY protocol and Forwarded.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/downstream/proxy_protocol.h"
#include "proxy/http/forwarded.h"

namespace carme::proxy {
namespace {

using std::string_literals::operator""s;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kV4 = "\xc0\x00\x02\x07\x0a\x00\x00\x01\x30\x39\x01\xbb"s;

// Version 2: command and family as their bytes, then what follows.
std::string Binary(char command, char family, const std::string& rest) {
  return kSignature + command + family + static_cast<char>(rest.size() >> 8) +
         static_cast<char>(rest.size()) + rest;
}

TEST_CASE("PROXY header: rejects invalid headers", "[proxy]") {
  for (const std::string& bytes :
       {"GET / HTTP/1.1\r\n"s,
        "\x16\x03\x01\x02"s,
        "\0"s,
        "PROXX"s,
        "proxy TCP4 192.0.2.7 10.0.0.1 1 2\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 1\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 1 2 3\r\n"s,
        "PROXY TCP4 192.0.2.7  10.0.0.1 1 2\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 01 2\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 65536 2\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 -1 2\r\n"s,
        "PROXY TCP4 192.0.2.7 10.0.0.1 1 2\n\r\n"s,
        "PROXY TCP4 192.0.2.256 10.0.0.1 1 2\r\n"s,
        "PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n"s,
        "PROXY TCP6 192.0.2.7 10.0.0.1 1 2\r\n"s,
        "PROXY TCP4 192.0.2.7\0 10.0.0.1 1 2\r\n"s,
        "PROXY UDP4 192.0.2.7 10.0.0.1 1 2\r\n"s,
        "PROXY \r\n"s,
        "PROXY TCP4 "s + std::string(110, '1'),
        "PROXY TCP4 "s + std::string(96, '1') + "\r\n",
        kSignature + "\x11\x11\x00\x0c"s + kV4,  // version 1 in binary
        kSignature + "\x31\x11\x00\x0c"s + kV4,
        kSignature + "\x22\x11\x00\x0c"s + kV4,  // no such command
        kSignature + "\x21\x11\x00\x0b"s + kV4,  // cut addresses
        kSignature + "\x21\x21\x00\x0c"s + kV4,  // v4's length for v6
        kSignature + "\x21\x11\xff\xff"s + kV4}) {
    INFO(bytes);
    CHECK(ScanProxyHeader(bytes).state == ScanState::kRefused);
  }
}

TEST_CASE("PROXY header: names the client", "[proxy]") {
  const std::string v6 = "\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x01" +
                         std::string(16, '\0') + "\x30\x39\x01\xbb";
  struct Case {
    std::string bytes;
    std::string client;  // empty: not said
  };
  const Case table[] = {
      {"PROXY TCP4 192.0.2.7 10.0.0.1 12345 443\r\n", "192.0.2.7:12345"},
      {"PROXY TCP6 2001:db8::1 2001:db8::2 12345 443\r\n",
       "[2001:db8::1]:12345"},
      {"PROXY UNKNOWN\r\n", ""},
      {"PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", ""},
      {Binary('\x21', '\x11', kV4), "192.0.2.7:12345"},
      // Additional TLVs are ignored.
      {Binary('\x21', '\x11', kV4 + "\x04\x00\x03" + "abc"s),
       "192.0.2.7:12345"},
      {Binary('\x21', '\x21', v6), "[2001:db8::1]:12345"},
      {Binary('\x20', '\x00', ""), ""},      // a health check
      {Binary('\x20', '\x11', kV4), ""},     // the same, with addresses
      {Binary('\x20', '\x11', "abcd"), ""},  // or what is none
      {Binary('\x21', '\x00', "xyz"), ""},
      {Binary('\x21', '\x31', std::string(216, 'p')), ""},  // unix sockets
  };
  for (const Case& c : table) {
    INFO(c.bytes);
    const std::string all = c.bytes + "\x16\x03\x01";
    for (size_t size = 0; size < c.bytes.size(); ++size) {
      CHECK(ScanProxyHeader(all.substr(0, size)).state == ScanState::kMore);
    }
    for (size_t size = c.bytes.size(); size <= all.size(); ++size) {
      const ProxyHeader header = ScanProxyHeader(all.substr(0, size));
      REQUIRE(header.state == ScanState::kDone);
      CHECK(header.bytes == c.bytes.size());
      CHECK((header.client ? header.client->ToString() : "") == c.client);
    }
  }
}

// The client's address; "-": not named; "!": malformed.
std::string Client(const std::string& fields) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
  RequestHead head;
  REQUIRE(ScanRequest(bytes, HeadLimits(), &head).state == ScanState::kDone);
  const net::Networks trusted =
      *net::Networks::Parse({"10.0.0.0/8", "2001:db8:ffff::/48"});
  const auto client = ForwardedClient(head, trusted);
  if (!client.ok()) return "!";
  return client->has_value() ? (*client)->Ip() : "-";
}

std::string Of(const std::string& value) {
  return Client("Forwarded: " + value + "\r\n");
}

TEST_CASE("Forwarded: ignores elements that a client wrote", "[proxy]") {
  // The last element is the load balancer's.
  CHECK(Of("for=6.6.6.6, for=192.0.2.7") == "192.0.2.7");
  CHECK(Client("Forwarded: for=6.6.6.6\r\nforwarded: for=192.0.2.7\r\n") ==
        "192.0.2.7");
  CHECK(Of("for=6.6.6.6, for=10.0.0.9") == "6.6.6.6");  // a chain of ours
  CHECK(Of("for=6.6.6.6, for=192.0.2.7, for=10.0.0.9") == "192.0.2.7");
  CHECK(Of("for=10.0.0.1") == "10.0.0.1");
  CHECK(Of("for=6.6.6.6, for=unknown") == "-");
  CHECK(Of("for=6.6.6.6, for=_hidden") == "-");
  CHECK(Of("for=6.6.6.6, proto=https") == "-");
  CHECK(Of("for=6.6.6.6,") == "-");
  CHECK(Client("X-Forwarded-For: 6.6.6.6\r\n") == "-");
}

TEST_CASE("Forwarded: rejects malformed fields", "[proxy]") {
  for (const char* value :
       {"for=\", for=192.0.2.7", "for=\"6.6.6.6\\\", for=192.0.2.7", "for",
        "for=6.6.6.6 for=192.0.2.7", "for=6.6.6.6; for=192.0.2.7", "=6.6.6.6",
        "for=, for=192.0.2.7", "fo r=6.6.6.6", "for=6.6\"6.6, for=192.0.2.7"}) {
    INFO(value);
    CHECK(Of(value) == "!");
  }
  std::string many;
  for (int i = 0; i < 100; ++i) many += "for=6.6.6.6, ";
  CHECK(Of(many + "for=192.0.2.7") == "!");
}

TEST_CASE("Forwarded: accepts all notations of addresses", "[proxy]") {
  for (const char* value :
       {"for=192.0.2.7", "For=\"192.0.2.7:4711\"", "for=192.0.2.7:4711",
        "proto=https;for=192.0.2.7;by=10.0.0.1", "proto=https ; FOR=192.0.2.7",
        "for=\"192.\\0.2.7\"", "\tfor=192.0.2.7\t", "for=\"192.0.2.7:_port\"",
        "for=192.0.2.7;host=\"a, for=6.6.6.6\"", ";for=192.0.2.7"}) {
    INFO(value);
    CHECK(Of(value) == "192.0.2.7");
  }
  for (const char* value :
       {"for=\"[2001:db8::7]\"", "for=\"[2001:db8::7]:4711\"",
        "for=\"2001:db8::7\"", "for=2001:db8::7"}) {
    INFO(value);
    CHECK(Of(value) == "2001:db8::7");
  }
  for (const char* value :
       {"for=\"[192.0.2.7]\"", "for=\"[2001:db8::7\"", "for=\"\"",
        "for=\"[2001:db8::7]x\"", "for=192.0.2", "by=192.0.2.7"}) {
    INFO(value);
    CHECK(Of(value) == "-");
  }
}

}  // namespace
}  // namespace carme::proxy
