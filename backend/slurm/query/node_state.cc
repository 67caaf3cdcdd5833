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
  std::string words = BaseText(state & NODE_STATE_BASE);
  for (const auto& [flag, word] : kFlags) {
    if ((state & flag) != 0) absl::StrAppend(&words, "+", word);
  }
  return words;
}

using Description = std::pair<NodeCondition, const char*>;

// By flags that matter more than the base state; null: none of them is set.
Description BySpecialFlag(uint32_t state, bool has_jobs) {
  const auto is = [state](uint64_t flags) { return (state & flags) != 0; };
  if (is(NODE_STATE_REBOOT_ISSUED)) {
    return {NodeCondition::kStarting, "is being restarted"};
  }
  if (is(NODE_STATE_POWERING_UP)) {
    return {NodeCondition::kStarting, "is starting"};
  }
  if (is(NODE_STATE_POWERING_DOWN)) {
    return {NodeCondition::kAsleep, "is powering down"};
  }
  if (is(NODE_STATE_POWERED_DOWN)) {
    return {NodeCondition::kAsleep, "is powered down until it is needed"};
  }
  if ((state & NODE_STATE_BASE) == NODE_STATE_DOWN) {
    return is(NODE_STATE_NO_RESPOND)
               ? Description{NodeCondition::kDown,
                             "is down and does not respond"}
               : Description{NodeCondition::kDown, "is down"};
  }
  if (is(NODE_STATE_INVALID_REG)) {
    return {NodeCondition::kOut, "does not match Slurm's configuration"};
  }
  if (is(NODE_STATE_FAIL)) {
    return {NodeCondition::kOut, "is failing and takes no new jobs"};
  }
  if (is(NODE_STATE_DRAIN | NODE_STATE_POWER_DRAIN)) {
    return has_jobs ? Description{NodeCondition::kDraining,
                                  "is draining: takes no new jobs, running "
                                  "jobs continue"}
                    : Description{NodeCondition::kOut, "is out of service"};
  }
  if (is(NODE_STATE_MAINT)) {
    return {NodeCondition::kOut, "is under maintenance"};
  }
  if (is(NODE_STATE_NO_RESPOND)) {
    return {NodeCondition::kDown, "does not respond at the moment"};
  }
  if (is(NODE_STATE_RES)) {
    return {NodeCondition::kReserved, "is reserved"};
  }
  return {NodeCondition::kUnknown, nullptr};
}

Description ByBase(uint32_t state) {
  switch (state & NODE_STATE_BASE) {
    case NODE_STATE_IDLE:
      if ((state & NODE_STATE_COMPLETING) != 0) {
        return {NodeCondition::kPartlyUsed, "is being cleaned up after a job"};
      }
      if ((state & NODE_STATE_PLANNED) != 0) {
        return {NodeCondition::kFree, "is free, and planned for a pending job"};
      }
      if ((state & NODE_STATE_REBOOT_REQUESTED) != 0) {
        return {NodeCondition::kFree, "is free, and will be restarted"};
      }
      return {NodeCondition::kFree, "is free"};
    case NODE_STATE_MIXED:
      return {NodeCondition::kPartlyUsed, "is partly in use"};
    case NODE_STATE_ALLOCATED:
      return {NodeCondition::kFull, "is in use"};
    case NODE_STATE_ERROR:
      return {NodeCondition::kOut, "has an error"};
    case NODE_STATE_FUTURE:
      return {NodeCondition::kOut, "is not in service yet"};
    default:
      return {NodeCondition::kUnknown, "is in an unknown state"};
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
          .words = found.second,
          .slurm = SlurmText(state)};
}

}  // namespace carme::backend
