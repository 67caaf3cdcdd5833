#include "frontend/gateway/stream_slots.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::frontend {
namespace {

TEST_CASE("stream slots: a session has only so many", "[frontend]") {
  StreamSlots slots(10, 2);
  const auto first = slots.Take("ada");
  auto second = slots.Take("ada");
  const auto third = slots.Take("ada");
  CHECK(third.status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(std::string(third.status().message()) ==
        "too many open pages for one session: allowed: 2; close another one");
  CHECK(slots.Take("bob").ok());
  second->reset();
  CHECK(slots.Take("ada").ok());
}

TEST_CASE("stream slots: the portal has only so many", "[frontend]") {
  StreamSlots slots(2, 2);
  auto first = slots.Take("ada");
  const auto second = slots.Take("bob");
  CHECK(slots.Take("cyd").status().code() == absl::StatusCode::kUnavailable);
  CHECK(slots.taken() == 2);
  first->reset();
  CHECK(slots.taken() == 1);
  CHECK(slots.Take("cyd").ok());
}

}  // namespace
}  // namespace carme::frontend
