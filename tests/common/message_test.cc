#include "common/message.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"
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

constexpr TextTemplate kFails{"TEST_FAILS", "{job} fails: {cause}"};
constexpr TextTemplate kFull{"TEST_FULL", "{disk} is full"};

TEST_CASE("text: a text without a code has none on the wire") {
  const DisplayText plain("as Slurm says it");
  CHECK(SerializeTextCode(plain).empty());
  CHECK(TextCodeOf(plain).code().empty());
  CHECK(ParseDisplayText("as Slurm says it", "") == plain);
}

TEST_CASE("text: a stored code that cannot be read leaves the English text") {
  CHECK(ParseDisplayText("a is full", "\xff\xff") == DisplayText("a is full"));
}

TEST_CASE("text: has its code, its values, and the codes of texts in it") {
  const DisplayText full = MakeText(kFull, {{"disk", "a\xff"}});
  const DisplayText text = MakeText(kFails, {{"job", 7}, {"cause", full}});
  CHECK(text.text == "7 fails: a\xff is full");
  const v1::TextCode code = TextCodeOf(text);
  CHECK(code.code() == "TEST_FAILS");
  REQUIRE(code.parameters_size() == 2);
  CHECK(code.parameters(0).name() == "job");
  CHECK(code.parameters(0).value() == "7");
  CHECK_FALSE(code.parameters(0).has_code());
  CHECK(code.parameters(1).value() == "a? is full");
  CHECK(code.parameters(1).code().code() == "TEST_FULL");
  CHECK(code.parameters(1).code().parameters(0).value() == "a?");
}

TEST_CASE("text: is the same after it was stored") {
  const DisplayText text = MakeText(
      kFails, {{"job", "a"}, {"cause", MakeText(kFull, {{"disk", "b"}})}});
  CHECK(ParseDisplayText(text.text, SerializeTextCode(text)) == text);
}

TEST_CASE("text: texts that lie too deep are in English only") {
  DisplayText text = MakeText(kFull, {{"disk", "a"}});
  for (int i = 0; i < 2 * kMaxTextDepth; ++i) {
    text = MakeText(kFails, {{"job", i}, {"cause", text}});
  }
  v1::TextCode code = TextCodeOf(text);
  int depth = 1;
  for (; code.parameters_size() == 2; ++depth) {
    const v1::TextCode inner = code.parameters(1).code();
    code = inner;
  }
  CHECK(depth == kMaxTextDepth + 1);
}

TEST_CASE("text: several texts are joined, each with its code") {
  CHECK(JoinTexts({}).empty());
  const DisplayText one = MakeText(kFull, {{"disk", "a"}});
  CHECK(JoinTexts({one}) == one);
  const DisplayText three = JoinTexts({one, DisplayText("b"), one});
  CHECK(three.text == "a is full; b; a is full");
  CHECK(three.code == "TEXT_LIST");
  REQUIRE(three.parameters.size() == 3);
  CHECK(three.parameters[2].value == one);
}

TEST_CASE("text: of a status has its reason and values") {
  CHECK(TextOfStatus(absl::OkStatus()).empty());
  CHECK(TextOfStatus(absl::InternalError("x")) == DisplayText("x"));
  const DisplayText text = TextOfStatus(
      MakeError(kTooMany, {{"count", 3}, {"max", 2}, {"things", "nodes"}}));
  CHECK(text.text == "3 of 2 nodes");
  CHECK(text.code == "TEST_TOO_MANY");
  CHECK(text.parameters.size() == 3);
}

TEST_CASE("text: of a status keeps the texts in it") {
  const DisplayText full = MakeText(kFull, {{"disk", "a"}});
  const absl::Status error =
      MakeError(kTooMany, {{"count", 3}, {"max", 2}, {"things", full}});
  CHECK(ErrorReason(error) == "TEST_TOO_MANY");
  const DisplayText text = TextOfStatus(error);
  CHECK(text.text == "3 of 2 a is full");
  CHECK(text.code == "TEST_TOO_MANY");
  REQUIRE(text.parameters.size() == 3);
  CHECK(text.parameters[2].value == full);
}

}  // namespace
}  // namespace carme
