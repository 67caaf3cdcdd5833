#include "backend/rpc/convert/slurm_names.h"

#include "backend/policy/cluster/slurm_account.h"
#include "backend/rpc/convert/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

DisplayText WrongIn(const SlurmSnapshot& cluster, const SlurmNames& names) {
  DisplayText wrong = WrongPartition(cluster, names.partition);
  if (wrong.empty()) wrong = WrongAccount(cluster, names.account);
  if (wrong.empty()) wrong = WrongQos(cluster, names.qos);
  return wrong;
}

}  // namespace

absl::Status CheckSlurmNames(const SlurmNames& names, Scheduler* scheduler) {
  if (WrongIn(*scheduler->Snapshot(), names).empty()) return absl::OkStatus();
  const bool is_fresh = scheduler->RefreshResources(kRefreshTimeout) &&
                        scheduler->RefreshAccounting(kRefreshTimeout);
  DisplayText wrong = WrongIn(*scheduler->Snapshot(), names);
  if (wrong.empty()) return absl::OkStatus();
  if (is_fresh) {
    return MakeError(rpc_convert_messages::kSlurmNameInvalid,
                     {{"problem", wrong}});
  }
  return MakeError(rpc_convert_messages::kSlurmNameUnverified,
                   {{"problem", wrong}});
}

absl::Status CheckSlurmNamesOf(const JobTemplate& settings,
                               Scheduler* scheduler) {
  return CheckSlurmNames({.partition = settings.partition,
                          .account = settings.account,
                          .qos = settings.qos},
                         scheduler);
}

}  // namespace carme::backend
