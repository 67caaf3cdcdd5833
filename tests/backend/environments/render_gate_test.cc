#include "backend/environments/render_gate.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

TEST_CASE("render gate: a user has two places, all together a few",
          "[backend]") {
  RenderGate gate(3, 2);
  const auto first = gate.Enter(Uid(1));
  auto second = gate.Enter(Uid(1));
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(absl::IsResourceExhausted(gate.Enter(Uid(1)).status()));
  const auto other = gate.Enter(Uid(2));
  REQUIRE(other.ok());
  CHECK(absl::IsResourceExhausted(gate.Enter(Uid(3)).status()));
  second->reset();
  CHECK(gate.Enter(Uid(3)).ok());
  CHECK(gate.Enter(Uid(1)).ok());
}

}  // namespace
}  // namespace carme::backend
