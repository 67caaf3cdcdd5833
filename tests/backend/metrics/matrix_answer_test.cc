#include "backend/metrics/query/matrix_answer.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

constexpr char kGood[] =
    R"({"status":"success","isPartial":false,"data":{"resultType":"matrix",)"
    R"("result":[{"metric":{"node":"n1","gpu":"a\"\u003cb"},"values":)"
    R"([[1700000000,"1.5"],[1700000001.250,"NaN"],[1700000002,"-2e3"]]}]},)"
    R"("stats":{"a":[1,null,true]}})";

TEST_CASE("matrix answer: refuses every part of an answer", "[metrics]") {
  const std::string text = kGood;
  REQUIRE_THAT(ParseMatrixAnswer(text), IsOk());
  for (size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(ParseMatrixAnswer(text.substr(0, size)).ok());
  }
  CHECK_FALSE(ParseMatrixAnswer(text + "x").ok());
}

TEST_CASE("matrix answer: refuses errors and other types", "[metrics]") {
  for (const std::string json :
       {R"({"status":"error","error":"x"})", R"({"status":"success"})",
        R"({"status":"success","data":{"resultType":"vector","result":[]}})",
        R"({"status":"success","data":{"resultType":"matrix","result":[1]}})",
        R"([])", R"({"a":[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]})"}) {
    CAPTURE(json);
    CHECK_FALSE(ParseMatrixAnswer(json).ok());
  }
}

TEST_CASE("matrix answer: reads labels and finite values", "[metrics]") {
  const auto series = ParseMatrixAnswer(kGood);
  REQUIRE_THAT(series, IsOk());
  REQUIRE(series->size() == 1);
  CHECK(series->front().labels.at("node") == "n1");
  CHECK(series->front().labels.at("gpu") == "a\"<b");
  const std::vector<std::pair<int64_t, double>> points = {
      {1'700'000'000'000, 1.5}, {1'700'000'002'000, -2000}};
  CHECK(series->front().points == points);
}

TEST_CASE("database answer: its data is taken unchanged", "[metrics]") {
  for (const std::string json :
       {"", "{}", "[]", R"({"status":"success"})",
        R"({"status":"error","data":[]})", R"({"status":"success","data":[)",
        R"({"status":"success","data":[]} {})",
        R"({"status":"success","data":"})"}) {
    CAPTURE(json);
    CHECK_THAT(DataOfAnswer(json),
               StatusIs(absl::StatusCode::kInvalidArgument, "byte"));
  }
  CHECK(DataOfAnswer(R"({"status":"success","isPartial":false,"data": ["a"] ,)"
                     R"("stats":{"seriesFetched": "1"}})")
            .value() == R"(["a"])");
  CHECK(DataOfAnswer(R"({"status":"success","data":{"result":[1.5,"NaN"]}})")
            .value() == R"({"result":[1.5,"NaN"]})");
}

TEST_CASE("database answer: an error has its text", "[metrics]") {
  CHECK(ErrorOfAnswer("").empty());
  CHECK(ErrorOfAnswer("502 Bad Gateway").empty());
  CHECK(ErrorOfAnswer(R"({"status":"error","errorType":"422"})").empty());
  CHECK(ErrorOfAnswer(R"({"status":"error","error":"a \"b\" \u0026 c"})") ==
        "a \"b\" & c");
}

}  // namespace
}  // namespace carme::metrics
