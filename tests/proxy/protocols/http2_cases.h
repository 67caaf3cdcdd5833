// Hostile and invalid HTTP/2 with the expected outcome: violations of RFC 9113
// (by section, most of them as in the h2spec suite) and RFC 7541 (HPACK),
// floods, malformed heads, and some cases that only look invalid.
#ifndef CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_
#define CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/proxy/fixtures/http2_client.h"

namespace carme::testing {

// A connection, and the fields of an accepted request.
class Http2Play {
 public:
  Http2Play(Http2Client& on, std::string host, std::string cookie)
      : client(on), host_(std::move(host)), cookie_(std::move(cookie)) {}

  Http2List Get(const Http2List& more = {}) const;
  // The fields with `name` replaced or removed.
  Http2List But(const std::string& name, const std::string& value = "") const;
  // The compressed head of Get.
  std::string Block(const Http2List& more = {}) {
    return client.Compress(Get(more));
  }
  bool Send(uint8_t type, uint8_t flags, int32_t id, std::string_view payload) {
    return client.Send(type, flags, id, payload);
  }

  Http2Client& client;

 private:
  const std::string host_, cookie_;
};

// The outcome of the request is a status or "RST n", of the connection "GOAWAY
// n", "end" without one, or "serves"; n is the error code. After a colon, the
// number of requests that the app received may follow.
struct Http2Case {
  std::string name;
  std::string carme;
  std::string nginx;  // of 1.22; "-": not tested
  // Returns the request to watch; 0: the connection.
  std::function<int32_t(Http2Play&)> run;
  bool greets = true;         // sends a preface first
  std::string stricter = {};  // carme's, with a newer libnghttp2
};

std::vector<Http2Case> Http2FrameCases();  // RFC 9113, 3 to 7; RFC 7541
std::vector<Http2Case> Http2HeadCases();   // RFC 9113, 8
std::vector<Http2Case> Http2FloodCases();

// Runs the case and returns its outcome.
std::string OutcomeOf(const Http2Case& what, Http2Play& play);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_
