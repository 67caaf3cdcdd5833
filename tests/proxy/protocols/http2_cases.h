// Hostile and wrong HTTP/2, and what becomes of it: what RFC 9113 (by section,
// most as the h2spec suite asks it) and RFC 7541 (HPACK) forbid, floods, heads
// that make no sense, and a few that look wrong and are not.
#ifndef CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_
#define CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/proxy/fixtures/http2_client.h"

namespace carme::testing {

// A connection, and what a request of it says that is let in.
class Http2Play {
 public:
  Http2Play(Http2Client& on, std::string host, std::string cookie)
      : client(on), host_(std::move(host)), cookie_(std::move(cookie)) {}

  Http2List Get(const Http2List& more = {}) const;
  // With `name` as another, or without it.
  Http2List But(const std::string& name, const std::string& value = "") const;
  // The head of Get, compressed.
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

// An outcome is what becomes of the request, a status or "RST n", or of the
// connection, "GOAWAY n", "end" without one, and "serves" where nothing does; n
// is the error's code. Behind a colon may stand how many requests the app saw.
struct Http2Case {
  std::string name;
  std::string carme;
  std::string nginx;  // 1.22; "-": not asked
  // Returns the request to watch; 0: the connection.
  std::function<int32_t(Http2Play&)> run;
  bool greets = true;  // a preface goes before
};

std::vector<Http2Case> Http2FrameCases();  // RFC 9113, 3 to 7; RFC 7541
std::vector<Http2Case> Http2HeadCases();   // RFC 9113, 8
std::vector<Http2Case> Http2FloodCases();

// Plays it, and says what became of it.
std::string OutcomeOf(const Http2Case& what, Http2Play& play);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PROTOCOLS_HTTP2_CASES_H_
