#include "backend/slurm/query/node_state.h"

#include <catch2/catch.hpp>

#include "backend/slurm/libslurm/libslurm.h"

namespace carme::backend {
namespace {

struct Case {
  uint32_t state;
  v1::NodeCondition condition;
  const char* slurm;
};

const Case kCases[] = {
    {NODE_STATE_IDLE, v1::NODE_CONDITION_FREE, "IDLE"},
    {NODE_STATE_IDLE | NODE_STATE_PLANNED, v1::NODE_CONDITION_FREE,
     "IDLE+PLANNED"},
    {NODE_STATE_IDLE | NODE_STATE_COMPLETING, v1::NODE_CONDITION_PARTLY_USED,
     "IDLE+COMPLETING"},
    {NODE_STATE_MIXED, v1::NODE_CONDITION_PARTLY_USED, "MIXED"},
    {NODE_STATE_ALLOCATED, v1::NODE_CONDITION_FULL, "ALLOCATED"},
    {NODE_STATE_MIXED | NODE_STATE_DRAIN, v1::NODE_CONDITION_DRAINING,
     "MIXED+DRAIN"},
    {NODE_STATE_ALLOCATED | NODE_STATE_DRAIN, v1::NODE_CONDITION_DRAINING,
     "ALLOCATED+DRAIN"},
    {NODE_STATE_IDLE | NODE_STATE_COMPLETING | NODE_STATE_DRAIN,
     v1::NODE_CONDITION_DRAINING, "IDLE+COMPLETING+DRAIN"},
    {NODE_STATE_IDLE | NODE_STATE_DRAIN, v1::NODE_CONDITION_OUT, "IDLE+DRAIN"},
    {NODE_STATE_DOWN | NODE_STATE_DRAIN, v1::NODE_CONDITION_DOWN, "DOWN+DRAIN"},
    {NODE_STATE_DOWN | NODE_STATE_NO_RESPOND, v1::NODE_CONDITION_DOWN,
     "DOWN+NOT_RESPONDING"},
    {NODE_STATE_IDLE | NODE_STATE_NO_RESPOND, v1::NODE_CONDITION_DOWN,
     "IDLE+NOT_RESPONDING"},
    {NODE_STATE_IDLE | NODE_STATE_RES, v1::NODE_CONDITION_RESERVED,
     "IDLE+RESERVED"},
    {NODE_STATE_IDLE | NODE_STATE_MAINT | NODE_STATE_RES,
     v1::NODE_CONDITION_OUT, "IDLE+MAINTENANCE+RESERVED"},
    {NODE_STATE_MIXED | NODE_STATE_FAIL, v1::NODE_CONDITION_OUT, "MIXED+FAIL"},
    {NODE_STATE_IDLE | NODE_STATE_INVALID_REG, v1::NODE_CONDITION_OUT,
     "IDLE+INVALID_REG"},
    {NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN, v1::NODE_CONDITION_ASLEEP,
     "IDLE+POWERED_DOWN"},
    {NODE_STATE_ALLOCATED | NODE_STATE_POWERING_UP, v1::NODE_CONDITION_STARTING,
     "ALLOCATED+POWERING_UP"},
    {NODE_STATE_DOWN | NODE_STATE_REBOOT_ISSUED, v1::NODE_CONDITION_STARTING,
     "DOWN+REBOOT_ISSUED"},
    {NODE_STATE_FUTURE, v1::NODE_CONDITION_OUT, "FUTURE"},
    {NODE_STATE_ERROR, v1::NODE_CONDITION_OUT, "ERROR"},
    {NODE_STATE_UNKNOWN, v1::NODE_CONDITION_UNSPECIFIED, "UNKNOWN"},
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
        REQUIRE_FALSE(state.text.empty());
        REQUIRE_FALSE(state.slurm.empty());
      }
    }
  }
}

TEST_CASE("node state: an unavailable node is never free", "[backend]") {
  for (int flag = 4; flag < 32; ++flag) {
    const uint32_t state = NODE_STATE_IDLE | 1u << flag;
    CAPTURE(flag);
    const bool away =
        (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND |
                  NODE_STATE_RES | NODE_STATE_MAINT | NODE_STATE_REBOOT_ISSUED |
                  NODE_STATE_INVALID_REG | NODE_STATE_POWER_DRAIN)) != 0;
    if (away) CHECK(NodeStateOf(state).condition != v1::NODE_CONDITION_FREE);
  }
}

}  // namespace
}  // namespace carme::backend
