#include "backend/slurm/query/node_state.h"

#include <catch2/catch.hpp>

#include "backend/slurm/libslurm/libslurm.h"

namespace carme::backend {
namespace {

struct Case {
  uint32_t state;
  NodeCondition condition;
  const char* slurm;
};

const Case kCases[] = {
    {NODE_STATE_IDLE, NodeCondition::kFree, "IDLE"},
    {NODE_STATE_IDLE | NODE_STATE_PLANNED, NodeCondition::kFree,
     "IDLE+PLANNED"},
    {NODE_STATE_IDLE | NODE_STATE_COMPLETING, NodeCondition::kPartlyUsed,
     "IDLE+COMPLETING"},
    {NODE_STATE_MIXED, NodeCondition::kPartlyUsed, "MIXED"},
    {NODE_STATE_ALLOCATED, NodeCondition::kFull, "ALLOCATED"},
    {NODE_STATE_MIXED | NODE_STATE_DRAIN, NodeCondition::kDraining,
     "MIXED+DRAIN"},
    {NODE_STATE_ALLOCATED | NODE_STATE_DRAIN, NodeCondition::kDraining,
     "ALLOCATED+DRAIN"},
    {NODE_STATE_IDLE | NODE_STATE_COMPLETING | NODE_STATE_DRAIN,
     NodeCondition::kDraining, "IDLE+COMPLETING+DRAIN"},
    {NODE_STATE_IDLE | NODE_STATE_DRAIN, NodeCondition::kOut, "IDLE+DRAIN"},
    {NODE_STATE_DOWN | NODE_STATE_DRAIN, NodeCondition::kDown, "DOWN+DRAIN"},
    {NODE_STATE_DOWN | NODE_STATE_NO_RESPOND, NodeCondition::kDown,
     "DOWN+NOT_RESPONDING"},
    {NODE_STATE_IDLE | NODE_STATE_NO_RESPOND, NodeCondition::kDown,
     "IDLE+NOT_RESPONDING"},
    {NODE_STATE_IDLE | NODE_STATE_RES, NodeCondition::kReserved,
     "IDLE+RESERVED"},
    {NODE_STATE_IDLE | NODE_STATE_MAINT | NODE_STATE_RES, NodeCondition::kOut,
     "IDLE+MAINTENANCE+RESERVED"},
    {NODE_STATE_MIXED | NODE_STATE_FAIL, NodeCondition::kOut, "MIXED+FAIL"},
    {NODE_STATE_IDLE | NODE_STATE_INVALID_REG, NodeCondition::kOut,
     "IDLE+INVALID_REG"},
    {NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN, NodeCondition::kAsleep,
     "IDLE+POWERED_DOWN"},
    {NODE_STATE_ALLOCATED | NODE_STATE_POWERING_UP, NodeCondition::kStarting,
     "ALLOCATED+POWERING_UP"},
    {NODE_STATE_DOWN | NODE_STATE_REBOOT_ISSUED, NodeCondition::kStarting,
     "DOWN+REBOOT_ISSUED"},
    {NODE_STATE_FUTURE, NodeCondition::kOut, "FUTURE"},
    {NODE_STATE_ERROR, NodeCondition::kOut, "ERROR"},
    {NODE_STATE_UNKNOWN, NodeCondition::kUnknown, "UNKNOWN"},
};

TEST_CASE("node state: maps each state", "[backend]") {
  for (const Case& one : kCases) {
    CAPTURE(one.slurm);
    const NodeState state = NodeStateOf(one.state);
    CHECK(state.condition == one.condition);
    CHECK(state.slurm == one.slurm);
  }
}

TEST_CASE("node state: every state and pair of flags has a text", "[backend]") {
  for (uint32_t base = 0; base < NODE_STATE_BASE; ++base) {
    for (int a = 4; a < 32; ++a) {
      for (int b = 4; b < 32; ++b) {
        const NodeState state = NodeStateOf(base | 1u << a | 1u << b);
        REQUIRE_FALSE(state.words.empty());
        REQUIRE_FALSE(state.slurm.empty());
      }
    }
  }
}

TEST_CASE("node state: a node that takes no jobs is never free", "[backend]") {
  for (int flag = 4; flag < 32; ++flag) {
    const uint32_t state = NODE_STATE_IDLE | 1u << flag;
    CAPTURE(flag);
    const bool away =
        (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND |
                  NODE_STATE_RES | NODE_STATE_MAINT | NODE_STATE_REBOOT_ISSUED |
                  NODE_STATE_INVALID_REG | NODE_STATE_POWER_DRAIN)) != 0;
    if (away) CHECK(NodeStateOf(state).condition != NodeCondition::kFree);
  }
}

}  // namespace
}  // namespace carme::backend
