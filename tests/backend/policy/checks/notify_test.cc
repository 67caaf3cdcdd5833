#include "backend/policy/checks/notify.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

std::string Said(const JobSpec& spec) {
  const std::vector<Violation> violations = CheckNotify(spec);
  if (violations.empty()) return "";
  CHECK(violations.size() == 1);
  CHECK(violations[0].refusal == Refusal::kInvalid);
  CHECK(violations[0].field == "notify");
  return violations[0].message.text;
}

TEST_CASE("notify: refuses unknown and repeated events", "[policy]") {
  for (const int event : {0, -1, 6, 23}) {
    INFO(event);
    CHECK(Said({.notify = {1, event}}) == "notify has " +
                                              std::to_string(event) +
                                              ", which is not a known event");
  }
  CHECK(Said({.notify = {1, 3, 1}}) == "notify contains an event twice");
}

TEST_CASE("notify: refuses notifications of a linked job", "[policy]") {
  CHECK_FALSE(Said({.linked_to = "a23456789abcdefg", .notify = {1}}).empty());
  CHECK_FALSE(Said({.builds = "mine:1", .notify = {1}}).empty());
  CHECK(Said({.linked_to = "a23456789abcdefg"}).empty());
}

TEST_CASE("notify: accepts each event once, or none", "[policy]") {
  CHECK(Said({}).empty());
  CHECK(Said({.notify = {5, 4, 3, 2, 1}}).empty());
}

}  // namespace
}  // namespace carme::backend
