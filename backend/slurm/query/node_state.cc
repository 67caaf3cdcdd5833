#include "backend/slurm/query/node_state.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme::backend {
namespace {

const char* BaseText(uint32_t base) {
  switch (base) {
    case NODE_STATE_DOWN:
      return "DOWN";
    case NODE_STATE_IDLE:
      return "IDLE";
    case NODE_STATE_ALLOCATED:
      return "ALLOCATED";
    case NODE_STATE_ERROR:
      return "ERROR";
    case NODE_STATE_MIXED:
      return "MIXED";
    case NODE_STATE_FUTURE:
      return "FUTURE";
    default:
      return "UNKNOWN";
  }
}

constexpr std::pair<uint32_t, const char*> kFlags[] = {
    {NODE_STATE_CLOUD, "CLOUD"},
    {NODE_STATE_COMPLETING, "COMPLETING"},
    {NODE_STATE_DRAIN, "DRAIN"},
    {NODE_STATE_FAIL, "FAIL"},
    {NODE_STATE_INVALID_REG, "INVALID_REG"},
    {NODE_STATE_MAINT, "MAINTENANCE"},
    {NODE_STATE_NO_RESPOND, "NOT_RESPONDING"},
    {NODE_STATE_PLANNED, "PLANNED"},
    {NODE_STATE_POWER_DRAIN, "POWER_DRAIN"},
    {NODE_STATE_POWERED_DOWN, "POWERED_DOWN"},
    {NODE_STATE_POWERING_DOWN, "POWERING_DOWN"},
    {NODE_STATE_POWERING_UP, "POWERING_UP"},
    {NODE_STATE_REBOOT_ISSUED, "REBOOT_ISSUED"},
    {NODE_STATE_REBOOT_REQUESTED, "REBOOT_REQUESTED"},
    {NODE_STATE_RES, "RESERVED"},
};

std::string SlurmText(uint32_t state) {
  std::string text = BaseText(state & NODE_STATE_BASE);
  for (const auto& [flag, word] : kFlags) {
    if ((state & flag) != 0) absl::StrAppend(&text, "+", word);
  }
  return text;
}

using Description = std::pair<v1::NodeCondition, const char*>;

// By flags that matter more than the base state; null: none of them is set.
Description BySpecialFlag(uint32_t state, bool has_jobs) {
  const auto is = [state](uint64_t flags) { return (state & flags) != 0; };
  if (is(NODE_STATE_REBOOT_ISSUED)) {
    return {v1::NODE_CONDITION_STARTING, "is being restarted"};
  }
  if (is(NODE_STATE_POWERING_UP)) {
    return {v1::NODE_CONDITION_STARTING, "is starting"};
  }
  if (is(NODE_STATE_POWERING_DOWN)) {
    return {v1::NODE_CONDITION_ASLEEP, "is powering down"};
  }
  if (is(NODE_STATE_POWERED_DOWN)) {
    return {v1::NODE_CONDITION_ASLEEP, "is powered down until it is needed"};
  }
  if ((state & NODE_STATE_BASE) == NODE_STATE_DOWN) {
    return is(NODE_STATE_NO_RESPOND)
               ? Description{v1::NODE_CONDITION_DOWN,
                             "is down and does not respond"}
               : Description{v1::NODE_CONDITION_DOWN, "is down"};
  }
  if (is(NODE_STATE_INVALID_REG)) {
    return {v1::NODE_CONDITION_OUT, "does not match Slurm's configuration"};
  }
  if (is(NODE_STATE_FAIL)) {
    return {v1::NODE_CONDITION_OUT, "is failing and takes no new jobs"};
  }
  if (is(NODE_STATE_DRAIN | NODE_STATE_POWER_DRAIN)) {
    return has_jobs ? Description{v1::NODE_CONDITION_DRAINING,
                                  "is draining: takes no new jobs, running "
                                  "jobs continue"}
                    : Description{v1::NODE_CONDITION_OUT, "is out of service"};
  }
  if (is(NODE_STATE_MAINT)) {
    return {v1::NODE_CONDITION_OUT, "is under maintenance"};
  }
  if (is(NODE_STATE_NO_RESPOND)) {
    return {v1::NODE_CONDITION_DOWN, "does not respond at the moment"};
  }
  if (is(NODE_STATE_RES)) {
    return {v1::NODE_CONDITION_RESERVED, "is reserved"};
  }
  return {v1::NODE_CONDITION_UNSPECIFIED, nullptr};
}

Description ByBase(uint32_t state) {
  switch (state & NODE_STATE_BASE) {
    case NODE_STATE_IDLE:
      if ((state & NODE_STATE_COMPLETING) != 0) {
        return {v1::NODE_CONDITION_PARTLY_USED,
                "is being cleaned up after a job"};
      }
      if ((state & NODE_STATE_PLANNED) != 0) {
        return {v1::NODE_CONDITION_FREE,
                "is free, and planned for a pending job"};
      }
      if ((state & NODE_STATE_REBOOT_REQUESTED) != 0) {
        return {v1::NODE_CONDITION_FREE, "is free, and will be restarted"};
      }
      return {v1::NODE_CONDITION_FREE, "is free"};
    case NODE_STATE_MIXED:
      return {v1::NODE_CONDITION_PARTLY_USED, "is partly in use"};
    case NODE_STATE_ALLOCATED:
      return {v1::NODE_CONDITION_FULL, "is in use"};
    case NODE_STATE_ERROR:
      return {v1::NODE_CONDITION_OUT, "has an error"};
    case NODE_STATE_FUTURE:
      return {v1::NODE_CONDITION_OUT, "is not in service yet"};
    default:
      return {v1::NODE_CONDITION_UNSPECIFIED, "is in an unknown state"};
  }
}

}  // namespace

NodeState NodeStateOf(uint32_t state) {
  const uint32_t base = state & NODE_STATE_BASE;
  const bool has_jobs = base == NODE_STATE_ALLOCATED ||
                        base == NODE_STATE_MIXED ||
                        (state & NODE_STATE_COMPLETING) != 0;
  Description found = BySpecialFlag(state, has_jobs);
  if (found.second == nullptr) found = ByBase(state);
  return {.condition = found.first,
          .text = found.second,
          .slurm = SlurmText(state)};
}

}  // namespace carme::backend
