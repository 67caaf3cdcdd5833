#include "frontend/gateway/stream_slots.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

TEST_CASE("stream slots: a session has only so many", "[frontend]") {
  StreamSlots slots(10, 2);
  const auto first = slots.Take("ada");
  auto second = slots.Take("ada");
  const auto third = slots.Take("ada");
  CHECK_THAT(third, StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK(std::string(third.status().message()) ==
        "too many open pages for one session: allowed: 2; close another one");
  CHECK_THAT(slots.Take("bob"), IsOk());
  second->reset();
  CHECK_THAT(slots.Take("ada"), IsOk());
}

TEST_CASE("stream slots: the portal has only so many", "[frontend]") {
  StreamSlots slots(2, 2);
  auto first = slots.Take("ada");
  const auto second = slots.Take("bob");
  CHECK_THAT(slots.Take("cyd"), StatusIs(absl::StatusCode::kUnavailable));
  CHECK(slots.taken() == 2);
  first->reset();
  CHECK(slots.taken() == 1);
  CHECK_THAT(slots.Take("cyd"), IsOk());
}

}  // namespace
}  // namespace carme::frontend
