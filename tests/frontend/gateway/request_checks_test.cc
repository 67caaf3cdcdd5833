#include "frontend/gateway/request_checks.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace carme::frontend {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

HttpHeaders Headers(const Fields& fields) {
  HttpHeaders headers;
  for (const auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

const PortalOrigin kPortal = *ParsePortalOrigin("https://carme.test:8443");

TEST_CASE("portal: accepts only https://host[:port]", "[frontend]") {
  for (const char* url :
       {"", "https://", "http://carme.test", "carme.test",
        "https://carme.test/", "https://carme.test:0",
        "https://carme.test:65536", "https://carme.test:08443",
        "https://carme.test:", "https://a_b", "https://user@carme.test",
        "https://carme.test?a", "https://-a"}) {
    CAPTURE(url);
    CHECK_FALSE(ParsePortalOrigin(url).has_value());
  }
  CHECK(ParsePortalOrigin("https://Carme.Test:443")->origin ==
        "https://carme.test");
  CHECK(kPortal.origin == "https://carme.test:8443");
  CHECK(kPortal.host == "carme.test:8443");
}

TEST_CASE("domain: refuses addresses outside and other forms", "[frontend]") {
  constexpr char kDomain[] = "jobs.test:8443";
  for (const char* url :
       {"", "https:", "https://", "http://j.jobs.test:8443/",
        "https://j.jobs.test/", "https://jobs.test:8444/",
        "https://evil.test/j.jobs.test:8443", "https://xjobs.test:8443/",
        "https://j.jobs.test:8443.evil.test/", "https://j.jobs.test:8443@e/",
        "https://e\\@j.jobs.test:8443/", "https://e\\.jobs.test:8443/",
        " https://j.jobs.test:8443/", "javascript:alert(1)",
        "https://e?.jobs.test:8443/", "https://e#.jobs.test:8443/"}) {
    CAPTURE(url);
    CHECK_FALSE(IsInDomain(url, kDomain));
  }
  for (const char* url :
       {"https://jobs.test:8443", "https://j.jobs.test:8443/.carme/open?t=1",
        "https://J-app.jobs.test:8443?a"}) {
    CAPTURE(url);
    CHECK(IsInDomain(url, kDomain));
  }
}

TEST_CASE("host: must be the portal's", "[frontend]") {
  const auto refused = [](const PortalOrigin& portal, const char* host) {
    return CheckHost(portal, Headers({{"host", host}})).has_value();
  };
  CHECK(refused(kPortal, "carme.test"));
  CHECK(refused(kPortal, "carme.test:8443:443"));
  CHECK(refused(kPortal, "127.0.0.1:8443"));
  CHECK(refused(kPortal, "job.jobs.carme.test:8443"));
  CHECK_FALSE(refused(kPortal, "Carme.Test:8443"));
  const PortalOrigin plain = *ParsePortalOrigin("https://carme.test");
  CHECK(refused(plain, "carme.test:444"));
  CHECK_FALSE(refused(plain, "carme.test"));
  CHECK_FALSE(refused(plain, "carme.test:443"));
  CHECK(CheckHost(kPortal, Headers({{"host", "evil.test"}}))->message ==
        "host \"evil.test\": expected \"carme.test:8443\"");
}

TEST_CASE("origin: decides which callers are allowed", "[frontend]") {
  const std::string own = "https://carme.test:8443";
  struct Row {
    const char* caller;
    Fields fields;
    bool allowed;
  };
  const Row rows[] = {
      {"another site", {{"origin", "https://evil.test"}}, false},
      {"another port", {{"origin", "https://carme.test"}}, false},
      {"plain http", {{"origin", "http://carme.test:8443"}}, false},
      {"a sandboxed frame", {{"origin", "null"}}, false},
      {"a job", {{"origin", "https://j.jobs.carme.test:8443"}}, false},
      {"an empty origin", {{"origin", ""}}, false},
      {"a longer name", {{"origin", own + ".evil.test"}}, false},
      {"our origin from another site",
       {{"origin", own}, {"sec-fetch-site", "cross-site"}},
       false},
      {"our origin from a job",
       {{"origin", own}, {"sec-fetch-site", "same-site"}},
       false},
      {"a cookie from nowhere", {{"cookie", "__Host-carme=x"}}, false},
      {"a browser that hides its origin",
       {{"sec-fetch-site", "same-origin"}},
       false},
      {"a browser without site", {{"sec-fetch-mode", "cors"}}, false},
      {"typed into the address bar", {{"sec-fetch-site", "none"}}, false},
      {"our page", {{"origin", own}, {"sec-fetch-site", "same-origin"}}, true},
      {"our page in an old browser", {{"origin", own}}, true},
      {"curl", {}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.caller);
    CHECK(CheckOrigin(kPortal, Headers(row.fields)).has_value() != row.allowed);
  }
}

TEST_CASE("forwarded for: is one literal address", "[frontend]") {
  for (const char* address : {"", "a", "10.0.0.1, 10.0.0.2", "10.0.0.1:80",
                              "[::1]", "10.0.0.256", "carme.test"}) {
    CAPTURE(address);
    CHECK(CheckForwardedFor(Headers({{"x-forwarded-for", address}})));
  }
  HttpRequest request;
  request.peer = "127.0.0.1";
  CHECK(ClientAddress(request) == "127.0.0.1");
  request.headers = Headers({{"x-forwarded-for", "2001:db8::7"}});
  CHECK_FALSE(CheckForwardedFor(request.headers));
  CHECK(ClientAddress(request) == "2001:db8::7");
}

TEST_CASE("request id: is the proxy's if it is valid", "[frontend]") {
  const auto id_of = [](const char* given) {
    return RequestIdOf(Headers({{"x-request-id", given}}));
  };
  CHECK(id_of("abcDEF-_0123") == "abcDEF-_0123");
  for (const char* bad :
       {"", "short", "with space", "new\nline0", "a\"b<c>d1"}) {
    CAPTURE(bad);
    CHECK(id_of(bad) != bad);
    CHECK(id_of(bad).size() == 16);
  }
  CHECK(RequestIdOf({}) != RequestIdOf({}));
}

}  // namespace
}  // namespace carme::frontend
