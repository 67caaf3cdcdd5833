#include "backend/metrics/ingest/sample_request_view.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/backend/metrics/sample_view_differ.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/status_matchers.h"

namespace carme::metrics {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

std::string Field(int number, int type, const std::string& content) {
  return static_cast<char>(number << 3 | type) + content;
}
// A field of bytes, of less than 128 of them.
std::string Bytes(int number, const std::string& content) {
  return Field(number, 2, static_cast<char>(content.size()) + content);
}
// A request with a node whose series has these fields.
std::string WithSeries(const std::string& fields) {
  return Bytes(2, Bytes(1, "n1") + Bytes(4, fields));
}

v1::WriteSamplesRequest FullRequest() {
  v1::WriteSamplesRequest request = OneSeries(kJob, kNow, {1, -2.5, 0});
  v1::NodeSamples* node = request.mutable_nodes(0);
  (*node->mutable_series(0)->mutable_labels())["gpu"] = "3";
  (*node->mutable_series(0)->mutable_labels())["model"] = "é";
  node->mutable_series(0)->set_source(7);
  node->set_missed(5);
  node->set_dropped(uint64_t{1} << 40);
  node->add_sources()->set_name("nvml");
  node->add_events()->set_kind("oom");
  *request.add_nodes() = *node;
  request.mutable_nodes(1)->set_node("n2");
  return request;
}

absl::Status Read(const v1::WriteSamplesRequest& request) {
  return SampleRequestView().Read(Encoded(request));
}

TEST_CASE("sample request view: refuses requests beyond the limits",
          "[metrics]") {
  v1::WriteSamplesRequest request = OneSeries(kJob, kNow, {1});
  REQUIRE_THAT(Read(request), IsOk());
  v1::NodeSamples* node = request.mutable_nodes(0);
  std::string why;
  SECTION("series") {
    for (int i = 0; i < kMaxRequestSeries; ++i) node->add_series();
    why = "more than 4096 series";
  }
  SECTION("values") {
    for (int i = 0; i < kMaxRequestSamples; ++i) {
      node->mutable_series(0)->add_values(1);
    }
    why = "more than 60000 samples";
  }
  SECTION("times without values") {
    for (int i = 0; i < kMaxRequestSamples; ++i) {
      node->mutable_series(0)->add_times_ms(1);
    }
    why = "more than 60000 samples";
  }
  SECTION("nodes") {
    for (int i = 0; i < kMaxRequestNodes; ++i) {
      request.add_nodes()->set_node("n");
    }
    why = "more than 256 nodes";
  }
  SECTION("sources") {
    for (int i = 0; i <= kMaxRequestSources; ++i) node->add_sources();
    why = "more than 8192 sources";
  }
  SECTION("events") {
    for (int i = 0; i <= kMaxRequestEvents; ++i) node->add_events();
    why = "more than 8192 events";
  }
  SECTION("the name of a node") {
    node->set_node("n1\"} or up{");
    why = "node 0";
  }
  CHECK_THAT(Read(request), StatusIs(absl::StatusCode::kInvalidArgument, why));
}

TEST_CASE(
    "sample request view: keeps no more labels than show that there are "
    "too many",
    "[metrics]") {
  v1::WriteSamplesRequest request = OneSeries(kJob, kNow, {1});
  for (int i = 0; i < 1000; ++i) {
    (*request.mutable_nodes(0)
          ->mutable_series(0)
          ->mutable_labels())[absl::StrCat("l", i)] = "x";
  }
  const std::string bytes = Encoded(request);
  SampleRequestView view;
  REQUIRE_THAT(view.Read(bytes), IsOk());
  const SeriesView& series = view.series(view.nodes()[0])[0];
  CHECK(view.labels(series).size() == kMaxLabels + 1);
  CHECK_FALSE(view.IsValid(series));
}

TEST_CASE("sample request view: refuses what protobuf refuses", "[metrics]") {
  const std::string ten_bytes(10, '\xff');
  for (const std::string& bytes : {
           std::string("\0", 1),  // no field
           Field(0, 0, "\x01"),   // field 0
           Field(1, 6, "\x01"),
           Field(1, 7, "a"),  // no wire types
           Field(3, 4, ""),   // ends no group
           Field(3, 3, ""),
           Field(3, 3, Field(4, 4, "")),
           Field(3, 0, ten_bytes),  // an endless varint
           Field(3, 0, "\xff"),
           Field(3, 1, "abc"),
           Field(3, 5, "abc"),
           Field(1, 2,
                 "\x05"
                 "ab"),                          // longer than the rest
           Field(1, 2, "\xff\xff\xff\xff\x7f"),  // than an int
           Field(1, 2, std::string("\x80\x80\x80\x80\x80\0", 6)),
           Bytes(1, "\xff"),
           Bytes(1, "\xc0\x80"),  // not UTF-8
           Bytes(1, "\xed\xa0\x80"),
           WithSeries(Bytes(1, "\xf4\x90\x80\x80")),
           WithSeries(Bytes(2, Bytes(1, "\xff"))),
           WithSeries(Bytes(2, Bytes(2, "\xff"))),
           WithSeries(Bytes(2, Field(1, 2, "\x7f"))),
           WithSeries(Bytes(4, "\x80")),     // half a time
           WithSeries(Bytes(5, "1234567")),  // half a value
           Bytes(2, Bytes(1, "n1") + Bytes(3, "\x0f")),
           Bytes(2, Bytes(1, "n1") + Bytes(7, Bytes(2, "\xff"))),
       }) {
    CAPTURE(bytes);
    CHECK_THAT(SampleRequestView().Read(bytes),
               StatusIs(absl::StatusCode::kInvalidArgument, "is not a Write"));
    CHECK(Difference(bytes) == "");
  }
}

TEST_CASE(
    "sample request view: refuses every cut of a request that protobuf "
    "refuses",
    "[metrics]") {
  const std::string bytes = Encoded(FullRequest());
  for (size_t size = 0; size <= bytes.size(); ++size) {
    CAPTURE(size);
    REQUIRE(Difference(bytes.substr(0, size)) == "");
  }
}

TEST_CASE("sample request view: skips groups to the depth of protobuf",
          "[metrics]") {
  for (const int depth : {99, 100, 101, 5000}) {
    CAPTURE(depth);
    const auto levels = static_cast<size_t>(depth);
    const std::string begins(levels, '\x1b');
    const std::string ends(levels, '\x1c');
    CHECK(SampleRequestView().Read(begins + ends).ok() == (depth <= 100));
    CHECK(Difference(begins + ends) == "");
  }
}

TEST_CASE("sample request view: reads what protobuf reads", "[metrics]") {
  const std::string full = Encoded(FullRequest());
  const std::string value("\0\0\0\0\0\0\xf0\x3f", 8);
  for (const std::string& bytes : {
           std::string(),
           full,
           full + full,
           // The last one counts.
           Bytes(1, "a") + Bytes(1, "b"),
           Bytes(2, Bytes(1, "") + Bytes(1, "n1") + Field(2, 0, "\x05") +
                        Field(2, 0, "\x06")),
           // Unknown fields and types.
           Field(3, 0, "\x01") + Field(1, 0, "\x01") + Field(2, 1, value) +
               Field(4, 5, "abcd") + Bytes(5, "x") +
               Field(6, 3, Field(1, 0, "\x01") + Field(6, 4, "")),
           // Overlong numbers.
           Field(1, 2, std::string("\x81\x80\x80\x80\0a", 6)),
           std::string("\x8a\x80\x80\x80\0\x01x", 7),
           // Packed, unpacked, and in parts.
           WithSeries(Bytes(4, "\x02\x04") + Field(4, 0, "\x06") +
                      Bytes(4, "") + Bytes(4, "\x01")),
           WithSeries(Bytes(5, value + value) + Field(5, 1, value)),
           WithSeries(Field(3, 0, "\xff\xff\xff\xff\xff\x0f")),
           // Labels: repeated, without a name or a value, with more fields.
           WithSeries(Bytes(2, Bytes(1, "a") + Bytes(2, "1")) +
                      Bytes(2, Bytes(2, "2") + Bytes(1, "a"))),
           WithSeries(Bytes(2, "") + Bytes(2, Bytes(1, "a"))),
           WithSeries(Bytes(2, Bytes(1, "a") + Bytes(1, "b") + Bytes(2, "x") +
                                   Field(3, 0, "\x01"))),
       }) {
    CAPTURE(bytes);
    CHECK_THAT(SampleRequestView().Read(bytes), IsOk());
    CHECK(Difference(bytes) == "");
  }
}

TEST_CASE("sample request view: an object is used again", "[metrics]") {
  const std::string full = Encoded(FullRequest());
  const std::string other = Encoded(OneSeries(kOtherJob, kNow, {4}));
  SampleRequestView view;
  REQUIRE_THAT(view.Read(full), IsOk());
  CHECK(view.samples() == 6);
  REQUIRE_THAT(view.Read(other), IsOk());
  CHECK(view.job_id() == kOtherJob);
  CHECK(view.nodes().size() == 1);
  CHECK(view.samples() == 1);
}

TEST_CASE("sample request view: removes nodes and counts their samples",
          "[metrics]") {
  const std::string full = Encoded(FullRequest());
  SampleRequestView view;
  REQUIRE_THAT(view.Read(full), IsOk());
  CHECK(view.RemoveNodes({"n1", "n3"}) == 3);
  REQUIRE(view.nodes().size() == 1);
  CHECK(view.nodes()[0].node == "n2");
  CHECK(view.values(view.series(view.nodes()[0])[0])[1] == -2.5);
}

}  // namespace
}  // namespace carme::metrics
