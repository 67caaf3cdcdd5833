// An HTTP/2 client that does as it is told, right or wrong. HPACK is nghttp2's,
// the frames are its own, so that nothing is checked before it is sent.
#ifndef CARME_TESTS_PROXY_HTTP2_CLIENT_H_
#define CARME_TESTS_PROXY_HTTP2_CLIENT_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/proxy/tls_client.h"

namespace carme::testing {

using Http2List = std::vector<std::pair<std::string, std::string>>;

// What came on one stream so far.
struct Http2Answer {
  int status = 0;
  int interim = 0;  // the last 1xx
  Http2List fields;
  Http2List trailers;
  std::string body;
  bool ended = false;
  std::optional<uint32_t> reset;  // the error code
  int64_t window = 65535;         // what may still be sent
  // The value of the first such field; empty without one.
  std::string Value(const std::string& name) const;
};

class Http2Client {
 public:
  struct Options {
    // Of a stream, towards the client.
    uint32_t window = 65535;
    // Opens windows again as bytes come.
    bool reads_on = true;
    bool greets = true;  // sends the preface and SETTINGS
  };
  Http2Client(int port, TlsClient::Options tls, Options options);
  ~Http2Client();

  bool connected() const { return tls_.connected(); }
  // Frames as they are wanted.
  bool SendRaw(const std::string& bytes) { return tls_.Send(bytes); }
  static std::string Frame(uint8_t type, uint8_t flags, int32_t id,
                           std::string_view payload);
  bool Send(uint8_t type, uint8_t flags, int32_t id, std::string_view payload) {
    return SendRaw(Frame(type, flags, id, payload));
  }
  std::string Compress(const Http2List& fields);
  static std::string Number(uint32_t value);  // four bytes

  // A request of the next id, which it returns.
  int32_t Open(const Http2List& fields, bool ends = true);
  // The body within the windows, for which it waits. False: the stream or the
  // connection is over.
  bool SendBody(int32_t id, std::string_view data, bool ends);
  // So many bytes as may go at once, and how many went.
  size_t SendSome(int32_t id, std::string_view data);
  bool SendTrailers(int32_t id, const Http2List& fields);
  void AllowMore(int32_t id, uint32_t bytes);
  // A PING, and reading until its answer. False: the connection is over.
  bool Sync();

  // Reads until it is true. False: the connection ended before.
  bool ReadUntil(const std::function<bool()>& predicate);
  // Until the stream's end, or the connection's.
  const Http2Answer& Await(int32_t id);
  const Http2Answer& Ask(const Http2List& fields) {
    return Await(Open(fields));
  }
  Http2Answer& answer(int32_t id) { return answers_[id]; }
  // Until the connection's end; the code of its GOAWAY, if there was one.
  std::optional<uint32_t> AwaitEnd();
  std::optional<uint32_t> goaway() const { return goaway_; }
  uint32_t Setting(uint16_t id) { return settings_[id]; }

 private:
  bool ReadFrame();
  void TakeHeaders(int32_t id, uint8_t flags, std::string_view block);
  void TakeSettings(uint8_t flags, std::string_view payload);
  void TakeData(int32_t id, uint8_t flags, std::string_view payload);

  const Options options_;
  TlsClient tls_;
  nghttp2_hd_deflater* deflater_ = nullptr;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::map<int32_t, Http2Answer> answers_;
  std::map<uint16_t, uint32_t> settings_;
  std::optional<uint32_t> goaway_;
  int64_t window_ = 65535;  // the connection's, of what may still be sent
  int64_t first_window_ = 65535;
  int32_t next_id_ = 1;
  int pongs_ = 0;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_HTTP2_CLIENT_H_
