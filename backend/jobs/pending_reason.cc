#include "backend/jobs/pending_reason.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/printable.h"

namespace carme {
namespace {

struct Words {
  absl::string_view reason;
  absl::string_view sentence;
};

// The words of job_reason_string() in Slurm; the longer ones that begin with
// Assoc, QOS or MaxTRES and their kin are answered by their beginning.
constexpr Words kExact[] = {
    {"", "waiting for Slurm to look at it"},
    {"None", "waiting for Slurm to look at it"},
    {"Resources", "waiting for enough free resources"},
    {"Priority", "other jobs are ahead in the queue"},
    {"Dependency", "waiting for another job"},
    {"BeginTime", "its start time has not come"},
    {"Prolog", "a node is being prepared"},
    {"Cleaning", "Slurm is cleaning up after an earlier try"},
    {"Licenses", "waiting for a free licence"},
    {"Reservation", "waiting for its reservation to begin"},
    {"ReservationDeleted", "its reservation was deleted"},
    {"JobHeldUser", "held by its user: release it to let it start"},
    {"JobHeldAdmin", "held by an administrator"},
    {"JobHoldMaxRequeue", "held by Slurm: it failed to start too often"},
    {"launch_failed_requeued_held", "held by Slurm: it failed to start"},
    {"PartitionDown", "its partition is down"},
    {"PartitionInactive", "its partition is not in use now"},
    {"PartitionNodeLimit", "it wants more nodes than its partition gives"},
    {"PartitionTimeLimit", "it wants more time than its partition gives"},
    {"NodeDown", "a node it needs is down"},
    {"ReqNodeNotAvail", "the nodes it could use are down or reserved"},
    {"ReqNodeNotAvail(Unavailable)",
     "the nodes it could use are down or reserved"},
    {"BadConstraints", "no node has what it wants"},
    {"NodesNotAvail", "the nodes it could use are down"},
    {"AccountingPolicy", "a limit of its account in Slurm is reached"},
    {"InvalidAccount", "its account in Slurm is not valid"},
    {"InvalidQOS", "its QOS in Slurm is not valid"},
    {"FrontEndDown", "a node it needs is down"},
    {"SchedDefer", "Slurm is busy and will look at it later"},
};

constexpr Words kBeginning[] = {
    {"ReqNodeNotAvail", "the nodes it could use are down or reserved"},
    {"QOSMax", "your share of its QOS is used up"},
    {"QOSGrp", "its QOS is used up by all who share it"},
    {"QOS", "a limit of its QOS is reached"},
    {"AssocMax", "your account's share is used up"},
    {"AssocGrp", "your account is used up by all who share it"},
    {"Assoc", "a limit of your account is reached"},
    {"Max", "a limit of Slurm is reached"},
};

}  // namespace

std::string PendingReason(std::string_view slurm_reason) {
  const std::string word = PlainText(slurm_reason, 64);
  for (const Words& row : kExact) {
    if (row.reason == word) return std::string(row.sentence);
  }
  for (const Words& row : kBeginning) {
    if (absl::StartsWith(word, row.reason)) {
      return absl::StrCat(row.sentence, " (", word, ")");
    }
  }
  return absl::StrCat("waiting: Slurm says \"", word, "\"");
}

}  // namespace carme
