#include "frontend/gateway/json_codec.h"

#include <catch2/catch.hpp>
#include <string>

#include "carme/v1/jobs.pb.h"

namespace carme::frontend {
namespace {

std::string ErrorOf(const std::string& json) {
  v1::SubmitJobRequest request;
  const absl::Status status = ParseJson(json, &request);
  return status.ok() ? "" : std::string(status.message());
}

TEST_CASE("json: an error names the field in one line", "[frontend]") {
  CHECK(ErrorOf(R"({"foo":1})") == "request: foo: Cannot find field");
  CHECK(ErrorOf(R"({"spec":{"gpus":1}})") ==
        "request: (spec) gpus: Cannot find field");
  CHECK(ErrorOf(R"({"spec":{"nodes":"many"}})") ==
        "request: (spec.nodes): invalid value \"many\" for type TYPE_INT32");
  CHECK(ErrorOf("[]") == "request: Root element must be a message");
  for (const char* broken : {"", "{", "null", "{}x", "\xff", "{\"spec\":[{}]}",
                             "{\"spec\":{\"walltime\":\"1 hour\"}}"}) {
    CAPTURE(broken);
    const std::string error = ErrorOf(broken);
    CHECK(error.starts_with("request: "));
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("json: refuses deep nesting", "[frontend]") {
  std::string json = "{\"spec\":";
  for (int i = 0; i < 30000; ++i) json += '[';
  CHECK_FALSE(ErrorOf(json).empty());
}

TEST_CASE("json: an error truncates a long value", "[frontend]") {
  CHECK(ErrorOf("{\"" + std::string(5000, 'a') + "\":1}").size() < 400);
}

TEST_CASE("json: writes the JSON names of the proto files", "[frontend]") {
  v1::SubmitJobRequest request;
  REQUIRE(ParseJson(R"({"idempotencyKey":"k","spec":{"gpusPerNode":2,
                        "memoryPerNodeMib":"4096","walltime":"3600s"}})",
                    &request)
              .ok());
  CHECK(request.spec().memory_per_node_mib() == 4096);
  CHECK(PrintJson(request).value() ==
        R"({"spec":{"gpusPerNode":2,"memoryPerNodeMib":"4096",)"
        R"("walltime":"3600s"},"idempotencyKey":"k"})");
}

TEST_CASE("json: escapes a string and replaces invalid UTF-8", "[frontend]") {
  CHECK(JsonString("a \"b\" \\ c") == R"("a \"b\" \\ c")");
  CHECK(JsonString("a\n\t\x7f") == R"("a\u000a\u0009\u007f")");
  CHECK(JsonString("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  const std::string unknown = "\xEF\xBF\xBD";
  for (const char* bad : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\x80",
                          "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    const std::string json = JsonString(bad);
    CHECK(json.starts_with("\"" + unknown));
    CHECK(json.find(bad) == std::string::npos);
  }
}

}  // namespace
}  // namespace carme::frontend
