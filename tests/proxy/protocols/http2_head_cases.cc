// RFC 9113, section 8: requests that are malformed, and floods.
#include <utility>

#include "tests/proxy/protocols/http2_cases.h"

namespace carme::testing {
namespace {

using std::string_literals::operator""s;

constexpr uint8_t kEndStream = NGHTTP2_FLAG_END_STREAM;
constexpr uint8_t kEndHeaders = NGHTTP2_FLAG_END_HEADERS;
constexpr uint8_t kWhole = kEndStream | kEndHeaders;
// nginx ends a connection after 1,000 requests, and sooner only where they come
// faster than it looks.
constexpr int32_t kFlood = 1100;

std::string Times(int count, const std::string& frame) {
  std::string all;
  for (int i = 0; i < count; ++i) all += frame;
  return all;
}

// A request of those fields.
Http2Case Of(std::string name, std::string carme, std::string nginx,
             std::function<Http2List(Http2Play&)> fields) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [fields = std::move(fields)](Http2Play& play) {
            return play.client.Open(fields(play));
          }};
}

Http2Case With(std::string name, std::string carme, std::string nginx,
               std::string field, std::string value) {
  return Of(std::move(name), std::move(carme), std::move(nginx),
            [=](Http2Play& play) {
              return play.Get({{field, value}});
            });
}

Http2Case But(std::string name, std::string carme, std::string nginx,
              std::string field, std::string value = "") {
  return Of(std::move(name), std::move(carme), std::move(nginx),
            [=](Http2Play& play) { return play.But(field, value); });
}

// A newer libnghttp2 has the other outcome.
Http2Case Stricter(std::string outcome, Http2Case what) {
  what.stricter = std::move(outcome);
  return what;
}

// Those fields in front of the others.
Http2Case Before(std::string name, std::string carme, std::string nginx,
                 std::string field, std::string value,
                 std::string method = "GET") {
  return Of(std::move(name), std::move(carme), std::move(nginx),
            [=](Http2Play& play) {
              Http2List fields = play.But(":method", method);
              fields.insert(fields.begin(), {field, value});
              return fields;
            });
}

// A body of that length was announced; its last frame follows.
Http2Case Body(std::string name, std::string carme, std::string nginx,
               std::string length, std::string body) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [=](Http2Play& play) {
            Http2List post = play.But(":method", "POST");
            post.emplace_back("content-length", length);
            // In one piece, so that it is known before it is passed on.
            play.client.SendRaw(
                Http2Client::Frame(NGHTTP2_HEADERS, kEndHeaders, 1,
                                   play.client.Compress(post)) +
                Http2Client::Frame(NGHTTP2_DATA, kEndStream, 1, body));
            return 1;
          }};
}

// A field block behind a body.
Http2Case Behind(std::string name, std::string carme, std::string nginx,
                 uint8_t flags, Http2List fields) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [=](Http2Play& play) {
            Http2Client& client = play.client;
            client.SendRaw(Http2Client::Frame(
                               NGHTTP2_HEADERS, kEndHeaders, 1,
                               client.Compress(play.But(":method", "POST"))) +
                           Http2Client::Frame(NGHTTP2_DATA, 0, 1, "x") +
                           Http2Client::Frame(NGHTTP2_HEADERS, flags, 1,
                                              client.Compress(fields)));
            return 1;
          }};
}

Http2Case Flood(std::string name, std::string carme, std::string nginx,
                std::function<void(Http2Play&)> flood) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [flood = std::move(flood)](Http2Play& play) {
            flood(play);
            return 0;
          }};
}

// So often that it is one.
Http2Case Many(std::string name, std::string carme, std::string nginx,
               uint8_t type, int32_t id, std::string payload) {
  return Flood(std::move(name), std::move(carme), std::move(nginx),
               [=](Http2Play& play) {
                 play.client.SendRaw(
                     Times(5000, Http2Client::Frame(type, 0, id, payload)));
               });
}

}  // namespace

std::vector<Http2Case> Http2HeadCases() {
  Http2List many;
  for (int i = 0; i < 200; ++i) many.emplace_back("x-" + std::to_string(i), "");
  return {
      With("8.2 upper case", "RST 1:0", "RST 1:0", "X-Upper", "x"),
      With("8.2.1 a line in a value", "400:0", "RST 1:0", "x",
           "y\r\nHost: evil"),
      With("8.2.1 NUL in a value", "400:0", "RST 1:0", "x", "a\0b"s),
      With("8.2.1 a line in a name", "400:0", "RST 1:0", "x\r\ny", "z"),
      With("8.2.1 a colon in a name", "400:0", "RST 1:0", "x:y", "z"),
      With("8.2.1 a blank in a name", "400:0", "RST 1:0", "x y", "z"),
      With("8.2.1 no name", "400:0", "GOAWAY 1:0", "", "z"),
      With("8.2.1 blanks around a value", "400:0", "200:1", "x", " y "),
      With("8.2.2 connection", "RST 1:0", "200:1", "connection", "close"),
      With("8.2.2 keep-alive", "RST 1:0", "200:1", "keep-alive", "x"),
      With("8.2.2 proxy-connection", "RST 1:0", "200:1", "proxy-connection",
           "x"),
      With("8.2.2 transfer-encoding", "RST 1:0", "200:1", "transfer-encoding",
           "chunked"),
      With("8.2.2 upgrade", "RST 1:0", "200:1", "upgrade", "websocket"),
      With("8.2.2 te of gzip", "RST 1:0", "200:1", "te", "gzip"),
      With("8.2.2 te of trailers", "200:1", "200:1", "te", "trailers"),
      Before("8.3 an unknown pseudo-header", "RST 1:0", "400:0", ":test", "x"),
      Before("8.3 a status", "RST 1:0", "400:0", ":status", "200"),
      With("8.3 a pseudo-header behind a field", "RST 1:0", "400:0", ":path",
           "/other"),
      Before("8.3 two paths", "RST 1:0", "400:0", ":path", "/other"),
      Before("8.3 two methods", "RST 1:0", "400:0", ":method", "GET"),
      Before("8.3 two schemes", "RST 1:0", "400:0", ":scheme", "https"),
      But("8.3.1 no method", "RST 1:0", "400:0", ":method"),
      But("8.3.1 no scheme", "RST 1:0", "400:0", ":scheme"),
      But("8.3.1 no path", "RST 1:0", "400:0", ":path"),
      Before("8.3.1 an empty path", "RST 1:0", "400:0", ":path", ""),
      But("8.3.1 no authority", "RST 1:0", "400:0", ":authority"),
      With("8.3.1 another Host", "400:0", "400:0", "host", "evil.test"),
      But("8.3.1 plain http", "400:0", "200:1", ":scheme", "http"),
      But("8.3.1 an absolute target", "RST 1:0", "400:0", ":path",
          "https://x/"),
      But("8.3.1 a star", "RST 1:0", "400:0", ":path", "*"),
      But("8.3.1 a line in the path", "RST 1:0", "RST 1:0", ":path",
          "/\r\nHost: evil"),
      But("8.3.1 a blank in the path", "RST 1:0", "400:0", ":path",
          "/ HTTP/1.1"),
      But("8.3.1 a blank in the method", "RST 1:0", "400:0", ":method",
          "GET /x HTTP/1.1"),
      Stricter("RST 1:0", But("8.3.1 user and password", "421:0", "200:1",
                              ":authority", "a@evil.test")),
      But("8.5 CONNECT", "RST 1:0", "405:0", ":method", "CONNECT"),
      Before("8.5 a protocol with GET", "RST 1:0", "400:0", ":protocol",
             "websocket"),
      Before("8.5 another protocol", "501:0", "400:0", ":protocol",
             "connect-udp", "CONNECT"),
      But("TRACE", "501:0", "405:0", ":method", "TRACE"),
      With("an expectation", "417:0", "200:1", "expect", "tea"),
      With("too large", "431:0", "GOAWAY 11:0", "x", std::string(40'000, 'x')),
      Of("too many fields", "431:0", "200:1",
         [many](Http2Play& play) { return play.Get(many); }),
      But("a target too long", "414:0", "GOAWAY 11:0", ":path",
          "/" + std::string(20'000, 'x')),
      With("8.1.1 a length that is none", "RST 1:0", "400:0", "content-length",
           "-1"),
      Body("8.1.1 a body that is shorter than it said", "RST 1:0", "400", "10",
           "short"),
      Body("8.1.1 a body that is longer", "RST 1:0", "400", "2", "long"),
      Body("8.1.1 a body where none was said", "RST 1:0", "400", "0", "x"),
      Body("8.1.1 none where one was said", "RST 1:0", "400", "7", ""),
      Behind("8.1 fields behind a body that do not end it", "RST 1:0",
             "GOAWAY 1", kEndHeaders, {{"x-test", "ok"}}),
      Behind("8.1 a pseudo-header behind a body", "RST 1:0", "GOAWAY 1", kWhole,
             {{":method", "GET"}}),
      Behind("8.1 trailers that frame and route", "RST 1:0", "GOAWAY 1", kWhole,
             {{"content-length", "40"}, {"host", "evil.test"}}),
      Behind("8.2 upper case in trailers", "RST 1:0", "GOAWAY 1", kWhole,
             {{"X-Upper", "x"}}),
  };
}

std::vector<Http2Case> Http2FloodCases() {
  std::vector<Http2Case> cases = {
      Flood("rapid reset (CVE-2023-44487)", "GOAWAY 11", "GOAWAY 0",
            [](Http2Play& play) {
              const Http2List get = play.Get();
              for (int i = 0; i < kFlood; ++i) {
                const int32_t id = play.client.Open(get);
                if (!play.Send(NGHTTP2_RST_STREAM, 0, id,
                               Http2Client::Number(NGHTTP2_CANCEL))) {
                  return;
                }
              }
            }),
      Flood("mistakes that are answered by resets", "GOAWAY 11", "GOAWAY 0",
            [](Http2Play& play) {
              const Http2List bad = play.Get({{"connection", "close"}});
              for (int i = 0; i < kFlood; ++i) play.client.Open(bad);
            }),
      Flood("more requests than there may be, again and again", "GOAWAY 11",
            "GOAWAY 0",
            [](Http2Play& play) {
              // Before our acknowledgement they are refused one by one.
              for (int32_t id = 1; id < 2 * kFlood; id += 2) {
                if (!play.Send(NGHTTP2_HEADERS, kEndHeaders, id,
                               play.Block())) {
                  return;
                }
              }
            }),
      Many("pings", "GOAWAY 11", "serves", NGHTTP2_PING, 0, "12345678"),
      Many("settings", "GOAWAY 11", "serves", NGHTTP2_SETTINGS, 0, ""),
      Many("priorities", "GOAWAY 11", "GOAWAY 11", NGHTTP2_PRIORITY, 1,
           "\0\0\0\3\x10"s),
      Many("an unknown type", "GOAWAY 11", "serves", 0xee, 0, ""),
      Many("priorities of RFC 9218", "GOAWAY 11", "serves", 0x10, 0,
           "\0\0\0\1u=1"s),
      Flood("farewells", "GOAWAY 11", "serves",
            [](Http2Play& play) {
              play.client.Open(play.But(":path", "/held"));
              play.client.SendRaw(
                  Times(5000, Http2Client::Frame(NGHTTP2_GOAWAY, 0, 0,
                                                 std::string(8, '\0'))));
            }),
      Many("windows of a byte more", "GOAWAY 11", "serves",
           NGHTTP2_WINDOW_UPDATE, 0, Http2Client::Number(1)),
      Flood("unsolicited ping responses", "GOAWAY 11", "serves",
            [](Http2Play& play) {
              play.client.SendRaw(
                  Times(5000, Http2Client::Frame(NGHTTP2_PING, NGHTTP2_FLAG_ACK,
                                                 0, "12345678")));
            }),
      Flood("windows of a request", "GOAWAY 11", "serves",
            [](Http2Play& play) {
              const int32_t id = play.client.Open(play.Get(), false);
              play.client.SendRaw(
                  Times(5000, Http2Client::Frame(NGHTTP2_WINDOW_UPDATE, 0, id,
                                                 Http2Client::Number(1))));
            }),
      Flood("empty DATA", "GOAWAY 11", "serves",
            [](Http2Play& play) {
              const int32_t id = play.client.Open(play.Get(), false);
              play.client.SendRaw(
                  Times(5000, Http2Client::Frame(NGHTTP2_DATA, 0, id, "")));
            }),
      Flood("CONTINUATION without end (CVE-2024-28182)", "GOAWAY 11",
            "GOAWAY 1",
            [](Http2Play& play) {
              play.client.SendRaw(
                  Http2Client::Frame(NGHTTP2_HEADERS, 0, 1, play.Block()) +
                  Times(5000,
                        Http2Client::Frame(NGHTTP2_CONTINUATION, 0, 1, "")));
            }),
      Flood("an HPACK bomb", "GOAWAY 11", "GOAWAY 11",
            [](Http2Play& play) {
              // One field of 3,500 bytes goes into the table, and each byte
              // that follows is that field again.
              const std::string block =
                  play.Block() +
                  play.client.Compress({{"bomb", std::string(3500, 'x')}});
              play.Send(NGHTTP2_HEADERS, kWhole, 1,
                        block + std::string(10'000, '\xbe'));
            }),
  };
  return cases;
}

}  // namespace carme::testing
