#include "tests/proxy/protocols/http2_cases.h"

#include <utility>

namespace carme::testing {
namespace {

using std::string_literals::operator""s;

constexpr uint8_t kEndStream = NGHTTP2_FLAG_END_STREAM;
constexpr uint8_t kEndHeaders = NGHTTP2_FLAG_END_HEADERS;
constexpr uint8_t kPadded = NGHTTP2_FLAG_PADDED;
constexpr uint8_t kPriority = NGHTTP2_FLAG_PRIORITY;
constexpr uint8_t kWhole = kEndStream | kEndHeaders;
constexpr uint8_t kUnknownType = 0xee;

const auto Number = Http2Client::Number;

std::string Setting(uint16_t id, uint32_t value) {
  return Number(id).substr(2) + Number(value);
}

// A case of one frame.
Http2Case One(std::string name, std::string carme, std::string nginx,
              uint8_t type, uint8_t flags, int32_t id, std::string payload) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [=](Http2Play& play) {
            play.Send(type, flags, id, payload);
            return 0;
          }};
}

// The same behind a request whose body is still to come, of which it is.
Http2Case OnOpen(std::string name, std::string carme, std::string nginx,
                 uint8_t type, uint8_t flags, std::string payload) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [=](Http2Play& play) {
            const int32_t id = play.client.Open(play.But(":method", "POST"),
                                                /*ends=*/false);
            play.Send(type, flags, id, payload);
            return id;
          }};
}

// Behind one whose end has come; `answered`: and the answer's, too.
Http2Case OnEnded(std::string name, std::string carme, std::string nginx,
                  bool answered, uint8_t type, uint8_t flags,
                  std::string payload) {
  return {
      std::move(name), std::move(carme), std::move(nginx),
      [=](Http2Play& play) {
        const int32_t id =
            play.client.Open(play.But(":path", answered ? "/echo" : "/held"));
        if (answered) play.client.Await(id);
        play.Send(type, flags, id, payload.empty() ? play.Block() : payload);
        return 0;
      }};
}

// A whole head of those bytes behind a good one's.
Http2Case Head(std::string name, std::string carme, std::string nginx,
               std::string block, bool before = false) {
  return {std::move(name), std::move(carme), std::move(nginx),
          [=](Http2Play& play) {
            const std::string good = play.Block();
            play.Send(NGHTTP2_HEADERS, kWhole, 1,
                      before ? block + good : good + block);
            return 1;
          }};
}

}  // namespace

Http2List Http2Play::Get(const Http2List& more) const {
  Http2List fields = {{":method", "GET"},
                      {":scheme", "https"},
                      {":authority", host_},
                      {":path", "/echo"}};
  if (!cookie_.empty()) fields.emplace_back("cookie", cookie_);
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Http2List Http2Play::But(const std::string& name,
                         const std::string& value) const {
  Http2List fields;
  for (const auto& [has, is] : Get()) {
    if (has != name) fields.emplace_back(has, is);
    if (has == name && !value.empty()) fields.emplace_back(name, value);
  }
  return fields;
}

std::string OutcomeOf(const Http2Case& what, Http2Play& play) {
  Http2Client& client = play.client;
  const int32_t id = what.run(play);
  if (id != 0) {
    const Http2Answer& answer = client.Await(id);
    if (answer.reset && answer.status == 0) {
      return "RST " + std::to_string(*answer.reset);
    }
    if (answer.ended) return std::to_string(answer.status);
  } else if (client.Sync() && !client.goaway()) {
    return "serves";
  }
  const std::optional<uint32_t> error = client.AwaitEnd();
  return error ? "GOAWAY " + std::to_string(*error) : "end";
}

std::vector<Http2Case> Http2FrameCases() {
  const std::string four = Number(1), eight = "12345678";
  std::vector<Http2Case> cases = {
      {"3.4 another preface", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.client.SendRaw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
         return 0;
       },
       false},
      {"3.4 a PING before SETTINGS", "GOAWAY 1", "serves",
       [](Http2Play& play) {
         play.client.SendRaw(
             NGHTTP2_CLIENT_MAGIC +
             Http2Client::Frame(NGHTTP2_PING, 0, 0, "12345678"));
         return 0;
       },
       false},
      One("4.1 an unknown type", "serves", "serves", kUnknownType, 0, 0, eight),
      One("4.1 flags that mean nothing", "serves", "serves", NGHTTP2_PING, 0xfe,
          0, eight),
      One("4.1 the reserved bit", "serves", "serves", NGHTTP2_PING, 0,
          INT32_MIN, eight),
      OnOpen("4.2 DATA of the greatest size", "200", "200", NGHTTP2_DATA,
             kEndStream, std::string(16384, 'x')),
      OnOpen("4.2 DATA beyond it", "GOAWAY 6", "200", NGHTTP2_DATA, kEndStream,
             std::string(16385, 'x')),
      {"4.2 HEADERS beyond it", "GOAWAY 6", "GOAWAY 11",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kWhole, 1,
                   play.Block({{"x", std::string(20000, '\x01')}}));
         return 0;
       }},
      {"4.3 PRIORITY within a head", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, play.Block());
         play.Send(NGHTTP2_PRIORITY, 0, 1, "\0\0\0\3\x10"s);
         play.Send(NGHTTP2_CONTINUATION, kEndHeaders, 1, "");
         return 0;
       }},
      {"4.3 another head within a head", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, play.Block());
         play.Send(NGHTTP2_HEADERS, kWhole, 3, play.Block());
         return 0;
       }},
      {"5.5 an unknown type within a head", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, play.Block());
         play.Send(kUnknownType, 0, 1, "12345678");
         return 0;
       }},
      // Streams
      One("5.1 DATA of a request that never was", "GOAWAY 1", "serves",
          NGHTTP2_DATA, kEndStream, 1, "x"),
      One("5.1 RST_STREAM of one", "GOAWAY 1", "serves", NGHTTP2_RST_STREAM, 0,
          1, four),
      One("5.1 WINDOW_UPDATE of one", "GOAWAY 1", "serves",
          NGHTTP2_WINDOW_UPDATE, 0, 1, four),
      One("5.1 CONTINUATION of one", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_CONTINUATION, kEndHeaders, 1, "\x82"),
      OnEnded("5.1 DATA behind the end", "GOAWAY 5", "serves", false,
              NGHTTP2_DATA, kEndStream, "x"),
      OnEnded("5.1 HEADERS behind the end", "GOAWAY 5", "GOAWAY 1", false,
              NGHTTP2_HEADERS, kWhole, ""),
      OnEnded("5.1 CONTINUATION behind the end", "GOAWAY 1", "GOAWAY 1", false,
              NGHTTP2_CONTINUATION, kEndHeaders, "\x82"),
      OnEnded("5.1 DATA behind both ends", "serves", "serves", true,
              NGHTTP2_DATA, kEndStream, "x"),
      OnEnded("5.1 HEADERS behind both ends", "serves", "GOAWAY 1", true,
              NGHTTP2_HEADERS, kWhole, ""),
      OnEnded("5.1 CONTINUATION behind both ends", "GOAWAY 1", "GOAWAY 1", true,
              NGHTTP2_CONTINUATION, kEndHeaders, "\x82"),
      OnEnded("5.1 WINDOW_UPDATE behind both ends", "serves", "serves", true,
              NGHTTP2_WINDOW_UPDATE, 0, four),
      OnEnded("5.1 RST_STREAM behind both ends", "serves", "serves", true,
              NGHTTP2_RST_STREAM, 0, four),
      {"5.1 DATA behind one's own reset", "serves", "serves",
       [](Http2Play& play) {
         const int32_t id = play.client.Open(play.But(":path", "/held"), false);
         play.Send(NGHTTP2_RST_STREAM, 0, id, Number(NGHTTP2_CANCEL));
         play.Send(NGHTTP2_DATA, kEndStream, id, "x");
         return 0;
       }},
      {"5.1 HEADERS behind one's own reset", "serves", "GOAWAY 1",
       [](Http2Play& play) {
         const int32_t id = play.client.Open(play.But(":path", "/held"), false);
         play.Send(NGHTTP2_RST_STREAM, 0, id, Number(NGHTTP2_CANCEL));
         play.Send(NGHTTP2_HEADERS, kWhole, id, play.Block());
         return 0;
       }},
      {"5.1.1 an even stream", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kWhole, 2, play.Block());
         return 0;
       }},
      {"5.1.1 a stream below the last one", "serves", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kWhole, 5, play.Block());
         play.Send(NGHTTP2_HEADERS, kWhole, 3, play.Block());
         return 0;
       }},
      {"5.3.1 HEADERS that depend on themselves", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kWhole | kPriority, 1,
                   "\0\0\0\1\x10"s + play.Block());
         return 1;
       }},
      One("5.3.1 PRIORITY that depends on itself", "serves", "GOAWAY 1",
          NGHTTP2_PRIORITY, 0, 1, "\0\0\0\1\x10"s),
      // Frames
      One("6.1 DATA of no stream", "GOAWAY 1", "GOAWAY 1", NGHTTP2_DATA, 0, 0,
          "x"),
      OnOpen("6.1 DATA with more padding than there is", "GOAWAY 1", "GOAWAY 1",
             NGHTTP2_DATA, kEndStream | kPadded, "\x08test"),
      OnOpen("6.1 DATA with nothing but padding", "200", "200", NGHTTP2_DATA,
             kEndStream | kPadded, "\x04\0\0\0\0"s),
      {"6.2 HEADERS of no stream", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kWhole, 0, play.Block());
         return 0;
       }},
      {"6.2 HEADERS with more padding than there is", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         const std::string block = play.Block();
         play.Send(NGHTTP2_HEADERS, kWhole | kPadded, 1,
                   static_cast<char>(block.size() + 1) + block);
         return 0;
       }},
      One("6.3 PRIORITY of no stream", "serves", "GOAWAY 1", NGHTTP2_PRIORITY,
          0, 0, "\0\0\0\3\x10"s),
      OnOpen("6.3 PRIORITY of another size", "GOAWAY 6", "GOAWAY 6",
             NGHTTP2_PRIORITY, 0, four),
      One("6.4 RST_STREAM of no stream", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_RST_STREAM, 0, 0, four),
      OnOpen("6.4 RST_STREAM of another size", "GOAWAY 6", "GOAWAY 6",
             NGHTTP2_RST_STREAM, 0, "\0\0\0"s),
      One("6.5 SETTINGS ACK with settings", "GOAWAY 6", "GOAWAY 6",
          NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, "\0"s),
      One("6.5 SETTINGS of a stream", "GOAWAY 1", "GOAWAY 1", NGHTTP2_SETTINGS,
          0, 1, Setting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 100)),
      One("6.5 SETTINGS of another size", "GOAWAY 6", "GOAWAY 6",
          NGHTTP2_SETTINGS, 0, 0, "\0\3\0"s),
      One("6.5.2 ENABLE_PUSH of two", "GOAWAY 1", "GOAWAY 1", NGHTTP2_SETTINGS,
          0, 0, Setting(NGHTTP2_SETTINGS_ENABLE_PUSH, 2)),
      One("6.5.2 INITIAL_WINDOW_SIZE beyond 2^31", "GOAWAY 3", "GOAWAY 3",
          NGHTTP2_SETTINGS, 0, 0,
          Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0x80000000)),
      One("6.5.2 MAX_FRAME_SIZE below the least", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_SETTINGS, 0, 0,
          Setting(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 16383)),
      One("6.5.2 MAX_FRAME_SIZE beyond the greatest", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_SETTINGS, 0, 0,
          Setting(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 1 << 24)),
      One("6.5.2 an unknown setting", "serves", "serves", NGHTTP2_SETTINGS, 0,
          0, Setting(0xfe, 1)),
      {"6.5.3 the last of two windows counts", "200", "200",
       [](Http2Play& play) {
         play.Send(NGHTTP2_SETTINGS, 0, 0,
                   Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0) +
                       Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 65535));
         return play.client.Open(play.Get());
       }},
      One("6.6 a push", "GOAWAY 1", "GOAWAY 1", NGHTTP2_PUSH_PROMISE,
          kEndHeaders, 1, Number(2) + "\x82\x84\x87"),
      One("6.7 an unsolicited PING ACK", "serves", "serves", NGHTTP2_PING,
          NGHTTP2_FLAG_ACK, 0, eight),
      One("6.7 PING of a stream", "GOAWAY 1", "GOAWAY 1", NGHTTP2_PING, 0, 1,
          eight),
      One("6.7 PING of another size", "GOAWAY 6", "GOAWAY 6", NGHTTP2_PING, 0,
          0, "123456"),
      One("6.8 GOAWAY of a stream", "GOAWAY 1", "GOAWAY 1", NGHTTP2_GOAWAY, 0,
          1, Number(0) + Number(0)),
      One("6.8 a client's GOAWAY", "GOAWAY 0", "serves", NGHTTP2_GOAWAY, 0, 0,
          Number(0) + Number(0)),
      One("6.9 WINDOW_UPDATE of nothing", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_WINDOW_UPDATE, 0, 0, Number(0)),
      OnOpen("6.9 WINDOW_UPDATE of nothing for a request", "GOAWAY 1",
             "GOAWAY 1", NGHTTP2_WINDOW_UPDATE, 0, Number(0)),
      One("6.9 WINDOW_UPDATE of another size", "GOAWAY 6", "GOAWAY 6",
          NGHTTP2_WINDOW_UPDATE, 0, 0, "\0\0\1"s),
      One("6.9.1 a window beyond 2^31", "GOAWAY 3", "GOAWAY 3",
          NGHTTP2_WINDOW_UPDATE, 0, 0, Number(0x7fffffff)),
      OnOpen("6.9.1 a request's window beyond 2^31", "RST 3", "RST 3",
             NGHTTP2_WINDOW_UPDATE, 0, Number(0x7fffffff)),
      {"6.9.2 SETTINGS that take a window beyond 2^31", "RST 3", "RST 3",
       [](Http2Play& play) {
         const int32_t id =
             play.client.Open(play.But(":method", "POST"), false);
         play.client.AllowMore(id, 1);
         play.Send(NGHTTP2_SETTINGS, 0, 0,
                   Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0x7fffffff));
         return id;
       }},
      {"6.9.2 a window that is closed and opened again", "200", "200",
       [](Http2Play& play) {
         play.Send(NGHTTP2_SETTINGS, 0, 0,
                   Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0));
         const int32_t id = play.client.Open(play.Get());
         play.client.Sync();
         play.Send(NGHTTP2_SETTINGS, 0, 0,
                   Setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 65535));
         return id;
       }},
      {"6.10 a head in three frames", "200", "200",
       [](Http2Play& play) {
         const std::string block = play.Block();
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, block.substr(0, 3));
         play.Send(NGHTTP2_CONTINUATION, 0, 1, block.substr(3, 2));
         play.Send(NGHTTP2_CONTINUATION, kEndHeaders, 1, block.substr(5));
         return 1;
       }},
      {"6.10 CONTINUATION of another request", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, play.Block());
         play.Send(NGHTTP2_CONTINUATION, kEndHeaders, 3, play.Block());
         return 0;
       }},
      {"6.10 a frame within a head", "GOAWAY 1", "GOAWAY 1",
       [](Http2Play& play) {
         play.Send(NGHTTP2_HEADERS, kEndStream, 1, play.Block());
         play.Send(NGHTTP2_PING, 0, 0, "12345678");
         return 0;
       }},
      One("6.10 CONTINUATION of no stream", "GOAWAY 1", "GOAWAY 1",
          NGHTTP2_CONTINUATION, kEndHeaders, 0, "\x82"),
      // HPACK, by the sections of RFC 7541
      One("HPACK that is none", "GOAWAY 9", "GOAWAY 9", NGHTTP2_HEADERS, kWhole,
          1, "\xff\xff\xff\xff\xff\xff"),
      Head("HPACK 2.3.3 an index beyond both tables", "GOAWAY 9", "GOAWAY 9",
           "\xff\x20"),
      Head("HPACK 2.3.3 the same as a name", "GOAWAY 9", "GOAWAY 9",
           "\x7f\x20\x01x"s),
      Head("HPACK 4.2 a table's size behind a field", "GOAWAY 9", "200",
           "\x21"),
      Head("HPACK 4.2 a table's size before", "200", "200", "\x21", true),
      Head("HPACK 5.1 a number without end", "GOAWAY 9", "GOAWAY 9",
           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      Head("HPACK 5.2 Huffman, padded by more than seven bits", "GOAWAY 9",
           "200", "\x00\x01x\x82\x1f\xff"s),
      Head("HPACK 5.2 Huffman, padded with zeros", "GOAWAY 9", "GOAWAY 9",
           "\x00\x01x\x81\x18"s),
      Head("HPACK 5.2 Huffman with the end of a string", "GOAWAY 9", "GOAWAY 9",
           "\x00\x01x\x84\xff\xff\xff\xff"s),
      Head("HPACK 5.2 a string that is longer than the block", "GOAWAY 9",
           "GOAWAY 6", "\x00\x01x\x7fy"s),
      Head("HPACK 6.1 the index zero", "GOAWAY 9", "GOAWAY 9", "\x80"),
      Head("HPACK 6.3 a table beyond what was allowed", "GOAWAY 9", "GOAWAY 9",
           "\x3f\xe2\x1f", true),
  };
  return cases;
}

}  // namespace carme::testing
