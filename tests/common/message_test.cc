#include "common/message.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "google/rpc/error_details.pb.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

constexpr ErrorTemplate kTooMany{absl::StatusCode::kResourceExhausted,
                                 "TEST_TOO_MANY", "{count} of {max} {things}"};

TEST_CASE("message: a value with braces is not read as a parameter") {
  CHECK(FormatMessage("{a} and {b}", {{"a", "{b}"}, {"b", "{a}"}}) ==
        "{b} and {a}");
}

TEST_CASE("message: a parameter without a value and a lone brace stay") {
  CHECK(FormatMessage("{a} {b", {{"b", 1}}) == "{a} {b");
  CHECK(FormatMessage("{{a}}", {{"a", 1}}) == "{1}");
  CHECK(FormatMessage("", {}) == "");
}

TEST_CASE("message: a null pointer is the empty text") {
  const char* const text = nullptr;
  CHECK(FormatMessage("a{b}c", {{"b", text}}) == "ac");
}

TEST_CASE("message: an error has the text, and the values as details") {
  const absl::Status error = MakeError(
      kTooMany, {{"count", 3}, {"max", 2}, {"things", std::string("n\xff")}});
  CHECK(error.code() == absl::StatusCode::kResourceExhausted);
  CHECK(error.message() == "3 of 2 n\xff");
  CHECK(ErrorReason(error) == "TEST_TOO_MANY");
  google::rpc::ErrorInfo info;
  REQUIRE(info.ParseFromString(std::string(
      *error.GetPayload("type.googleapis.com/google.rpc.ErrorInfo"))));
  CHECK(info.metadata().at("count") == "3");
  CHECK(info.metadata().at("things") == "n?");
  CHECK(error.ToString() != MakePlainError(kTooMany).ToString());
}

}  // namespace
}  // namespace carme
