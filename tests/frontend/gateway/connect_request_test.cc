#include "frontend/gateway/connect_request.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/crypto/hash.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::frontend {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const Method kUnary{.path = "/carme.v1.A/B", .needs_session = true};
const Method kStream{.path = "/carme.v1.A/C", .streams = true};
const Method kPublic{.path = "/carme.v1.A/D"};
const std::string kToken(43, 'A');

HttpHeaders Headers(const Fields& fields) {
  HttpHeaders headers;
  for (const auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

TEST_CASE("content type: must be the one of the method", "[frontend]") {
  const auto refused = [](const Method& method, const char* type) {
    return CheckContentType(method, Headers({{"content-type", type}}));
  };
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=a", "application/json; charset=utf-8",
        "application/json, text/plain", "application/proto",
        "application/connect+json"}) {
    CAPTURE(type);
    REQUIRE(refused(kUnary, type));
    CHECK(refused(kUnary, type)->status == 415);
  }
  CHECK(CheckContentType(kUnary, HttpHeaders()));
  CHECK(refused(kStream, "application/json"));
  CHECK(refused(kStream, "application/connect+proto"));
  CHECK_FALSE(refused(kUnary, "Application/JSON"));
  CHECK_FALSE(refused(kStream, "application/connect+json"));
}

TEST_CASE("connect headers: refuses other versions and codings", "[frontend]") {
  const auto code = [](const Method& method, const char* name,
                       const char* value) {
    return CheckConnectHeaders(method, Headers({{name, value}})).code();
  };
  using absl::StatusCode;
  CHECK(code(kUnary, "connect-protocol-version", "2") ==
        StatusCode::kInvalidArgument);
  CHECK(code(kUnary, "content-encoding", "gzip") == StatusCode::kUnimplemented);
  CHECK(code(kStream, "connect-content-encoding", "gzip") ==
        StatusCode::kUnimplemented);
  CHECK(code(kUnary, "connect-protocol-version", "1") == StatusCode::kOk);
  CHECK(code(kUnary, "content-encoding", "identity") == StatusCode::kOk);
  CHECK_THAT(CheckConnectHeaders(kUnary, HttpHeaders()), IsOk());
}

TEST_CASE("timeout: is the client's, up to the maximum", "[frontend]") {
  const auto timeout = [](const char* text) {
    return TimeoutOf(Headers({{"connect-timeout-ms", text}}),
                     absl::Seconds(20));
  };
  for (const char* bad :
       {"", "0", "-1", "+1", "1.5", "1s", " 1", "99999999999", "0x10"}) {
    CAPTURE(bad);
    CHECK_THAT(timeout(bad), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  CHECK(*timeout("1") == absl::Milliseconds(1));
  CHECK(*timeout("5000") == absl::Seconds(5));
  CHECK(*timeout("9999999999") == absl::Seconds(20));
  CHECK(*TimeoutOf(HttpHeaders(), absl::Seconds(20)) == absl::Seconds(20));
}

HttpRequest Request(const Fields& fields) {
  HttpRequest request{.method = "POST"};
  request.peer = "127.0.0.1";
  request.headers = Headers(fields);
  return request;
}

TEST_CASE("metadata: ignores header fields with Carme's names", "[frontend]") {
  const auto call = BackendCallFor(
      kUnary,
      Request({{"carme-session", "stolen"},
               {"carme-request-id", "x"},
               {"carme-client-address", "10.9.9.9"},
               {"carme-user-agent", "x"},
               {"grpc-timeout", "1H"},
               {"carme-token", "stolen"},
               {"user-agent", "Browser\t1\x80" + std::string(300, 'a')}}),
      "r-12345678", absl::UnixEpoch());
  REQUIRE_THAT(call, IsOk());
  REQUIRE(call->metadata.size() == 3);
  CHECK(call->metadata[0] ==
        std::pair<std::string, std::string>("carme-request-id", "r-12345678"));
  CHECK(call->metadata[1] == std::pair<std::string, std::string>(
                                 "carme-client-address", "127.0.0.1"));
  CHECK(call->metadata[2].first == "carme-user-agent");
  CHECK(call->metadata[2].second.size() == 200);
  CHECK(call->metadata[2].second.starts_with("Browser?1?aaa"));
  CHECK(call->deadline == absl::UnixEpoch() + absl::Seconds(20));
}

TEST_CASE("metadata: continues a trace with the request id", "[frontend]") {
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-";
  const auto sent = [&](const std::string& traceparent,
                        const std::string& request_id = "00f067aa0ba902b7") {
    const auto call =
        BackendCallFor(kUnary, Request({{"traceparent", traceparent}}),
                       request_id, absl::UnixEpoch());
    REQUIRE_THAT(call, IsOk());
    const auto& [key, value] = call->metadata.back();
    return key == "traceparent" ? value : "";
  };
  CHECK(sent("invalid").empty());
  CHECK(sent(trace + "b7ad6b7169203331-01", "r-12345678").empty());
  CHECK(sent(trace + "b7ad6b7169203331-01") == trace + "00f067aa0ba902b7-01");
}

TEST_CASE("metadata: a script has a token instead of a session", "[frontend]") {
  const std::string token = "carme_" + std::string(43, 'x');
  const HttpRequest request = Request({{"authorization", "Bearer " + token}});
  const auto call = BackendCallFor(kUnary, request, "r", absl::UnixEpoch());
  REQUIRE(call->metadata.size() == 4);
  CHECK(call->metadata[3].first == "carme-token");
  CHECK(call->metadata[3].second == token);
  CHECK(call->credential == Sha256(token));
  CHECK(BackendCallFor(kPublic, request, "r", absl::UnixEpoch())
            ->metadata.size() == 3);
}

TEST_CASE("metadata: the session comes from the cookie if required",
          "[frontend]") {
  const HttpRequest request = Request({{"cookie", "__Host-carme=" + kToken}});
  const auto user = BackendCallFor(kUnary, request, "r", absl::UnixEpoch());
  REQUIRE(user->metadata.size() == 4);
  CHECK(user->metadata[3].first == "carme-session");
  CHECK(user->metadata[3].second == kToken);
  CHECK(BackendCallFor(kPublic, request, "r", absl::UnixEpoch())
            ->metadata.size() == 3);
  CHECK_THAT(BackendCallFor(kUnary, Request({{"cookie", "__Host-carme=x"}}),
                            "r", absl::UnixEpoch())
                 .status(),
             StatusIs(absl::StatusCode::kUnauthenticated));
}

}  // namespace
}  // namespace carme::frontend
