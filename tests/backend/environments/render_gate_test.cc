#include "backend/environments/render_gate.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

TEST_CASE("render gate: a user has two places, all together a few",
          "[backend]") {
  RenderGate gate(3, 2);
  const auto first = gate.Enter(Uid(1));
  auto second = gate.Enter(Uid(1));
  REQUIRE_THAT(first, IsOk());
  REQUIRE_THAT(second, IsOk());
  CHECK(absl::IsResourceExhausted(gate.Enter(Uid(1)).status()));
  const auto other = gate.Enter(Uid(2));
  REQUIRE_THAT(other, IsOk());
  CHECK(absl::IsResourceExhausted(gate.Enter(Uid(3)).status()));
  second->reset();
  CHECK_THAT(gate.Enter(Uid(3)), IsOk());
  CHECK_THAT(gate.Enter(Uid(1)), IsOk());
}

}  // namespace
}  // namespace carme::backend
