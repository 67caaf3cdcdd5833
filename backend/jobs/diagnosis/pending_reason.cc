#include "backend/jobs/diagnosis/pending_reason.h"

#include <algorithm>
#include <optional>

#include "backend/jobs/diagnosis/messages.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/policy/cluster/shortage.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

bool Take(std::string_view* text, std::string_view beginning) {
  if (!text->starts_with(beginning)) return false;
  text->remove_prefix(beginning.size());
  return true;
}

bool TakeEnd(std::string_view* text, std::string_view end) {
  if (!text->ends_with(end)) return false;
  text->remove_suffix(end.size());
  return true;
}

struct Resource {
  std::string_view word;
  const TextTemplate* some;
  const TextTemplate* minutes;  // nullptr: not limited over time
};

// In the spelling of the reasons. A longer word comes before its own prefix.
constexpr Resource kResources[] = {
    {"SubmitJobs", &job_diagnosis_messages::kSubmittedJobs, nullptr},
    {"SubmitJob", &job_diagnosis_messages::kSubmittedJobs, nullptr},
    {"Jobs", &job_diagnosis_messages::kJobs, nullptr},
    {"WallDuration", &job_diagnosis_messages::kTime, nullptr},
    {"Wall", &job_diagnosis_messages::kTime, nullptr},
    {"Cpu", &job_diagnosis_messages::kCpus,
     &job_diagnosis_messages::kCpuMinutes},
    {"CPU", &job_diagnosis_messages::kCpus,
     &job_diagnosis_messages::kCpuMinutes},
    {"Memory", &job_diagnosis_messages::kMemory,
     &job_diagnosis_messages::kMinutesOfMemory},
    {"Mem", &job_diagnosis_messages::kMemory,
     &job_diagnosis_messages::kMinutesOfMemory},
    {"Node", &job_diagnosis_messages::kNodes,
     &job_diagnosis_messages::kNodeMinutes},
    {"GRES", &job_diagnosis_messages::kGpus,
     &job_diagnosis_messages::kGpuMinutes},
    {"License", &job_diagnosis_messages::kLicences,
     &job_diagnosis_messages::kLicenceMinutes},
    {"BB", &job_diagnosis_messages::kBurstBuffer,
     &job_diagnosis_messages::kMinutesOfBurstBuffer},
    {"Energy", &job_diagnosis_messages::kEnergy,
     &job_diagnosis_messages::kMinutesOfEnergy},
    {"Billing", &job_diagnosis_messages::kBillingUnits,
     &job_diagnosis_messages::kBillingMinutes},
    {"Unknown", &job_diagnosis_messages::kUnitsOfAResource,
     &job_diagnosis_messages::kMinutesOfAResource},
};

// A limit, parsed from its reason.
struct Limit {
  bool is_qos = false;  // of its QOS; otherwise of its account
  bool group = false;
  bool is_min = false;
  const Resource* resource = nullptr;
  bool minutes = false;
  bool running = false;      // minutes reserved by running jobs
  std::string_view of = {};  // "PerJob", "PerNode", "PerUser", "PerAccount"
};

std::optional<Limit> Parse(std::string_view word) {
  Limit limit;
  if (!Take(&word, "Assoc")) {
    limit.is_qos = Take(&word, "QOS") || word.ends_with("PerAccount") ||
                   word.ends_with("PerUser");
    if (!limit.is_qos) return std::nullopt;
  }
  if (Take(&word, "Grp")) {
    limit.group = true;
  } else if (Take(&word, "Min")) {
    limit.is_min = true;
  } else if (!Take(&word, "Max")) {
    return std::nullopt;
  }
  for (const Resource& resource : kResources) {
    if (Take(&word, resource.word)) {
      limit.resource = &resource;
      break;
    }
  }
  if (limit.resource == nullptr) return std::nullopt;
  TakeEnd(&word, "Limit");
  if (Take(&word, "RunMinutes") || Take(&word, "RunMins")) {
    limit.minutes = limit.running = true;
  }
  if (Take(&word, "Minutes")) limit.minutes = true;
  Take(&word, "NotSatisfied");
  if (word == "PerJob" || word == "PerNode" || word == "PerUser" ||
      word == "PerAccount") {
    limit.of = word;
  } else if (!word.empty()) {
    return std::nullopt;
  }
  return limit;
}

const TextTemplate& TextOf(const Limit& limit, bool is_time) {
  const bool is_qos = limit.is_qos;
  if (limit.is_min) {
    return is_qos ? job_diagnosis_messages::kQosRequiresMore
                  : job_diagnosis_messages::kAccountRequiresMore;
  }
  if (limit.group && limit.running) {
    return is_qos ? job_diagnosis_messages::kQosReserved
                  : job_diagnosis_messages::kAccountReserved;
  }
  if (limit.group && is_time) {
    return is_qos ? job_diagnosis_messages::kQosUsedUp
                  : job_diagnosis_messages::kAccountUsedUp;
  }
  if (limit.group) {
    return is_qos ? job_diagnosis_messages::kQosShared
                  : job_diagnosis_messages::kAccountShared;
  }
  if (limit.of == "PerUser" || limit.of.empty()) {
    return is_qos ? job_diagnosis_messages::kQosPerUser
                  : job_diagnosis_messages::kAccountPerUser;
  }
  if (limit.of == "PerAccount") return job_diagnosis_messages::kQosPerAccount;
  if (limit.of == "PerNode") {
    return is_qos ? job_diagnosis_messages::kQosPerNode
                  : job_diagnosis_messages::kAccountPerNode;
  }
  return is_qos ? job_diagnosis_messages::kQosPerJob
                : job_diagnosis_messages::kAccountPerJob;
}

DisplayText Sentence(const Limit& limit) {
  const TextTemplate* resource = limit.resource->some;
  if (limit.minutes) resource = limit.resource->minutes;
  const DisplayText what =
      resource == nullptr ? DisplayText() : MakeText(*resource);
  const bool is_time =
      limit.minutes || resource == &job_diagnosis_messages::kTime;
  return MakeText(TextOf(limit, is_time), {{"resource", what}});
}

// One sentence for a limit of an account or a QOS, such as "QOSMaxGRESPerUser";
// nullopt for another reason. Slurm has about 140 of these reasons, composed of
// the owner of the limit, the resource, the scope and the period.
std::optional<DisplayText> LimitReason(std::string_view word) {
  const std::optional<Limit> limit = Parse(word);
  if (!limit.has_value()) return std::nullopt;
  return MakeText(job_diagnosis_messages::kWithReason,
                  {{"sentence", Sentence(*limit)}, {"reason", word}});
}

constexpr size_t kMaxDetail = 200;

struct ReasonText {
  std::string_view reason;
  const TextTemplate& sentence;
};

// The reasons of Slurm's enum job_state_reason; LimitReason() has those for
// limits of accounts and QOS.
constexpr ReasonText kReasons[] = {
    {"", job_diagnosis_messages::kWaitsNone},
    {"None", job_diagnosis_messages::kWaitsNone},
    {"Resources", job_diagnosis_messages::kWaitsResources},
    {"Priority", job_diagnosis_messages::kWaitsPriority},
    {"Dependency", job_diagnosis_messages::kWaitsDependency},
    {"DependencyNeverSatisfied",
     job_diagnosis_messages::kWaitsDependencyNeverSatisfied},
    {"BeginTime", job_diagnosis_messages::kWaitsBeginTime},
    {"Prolog", job_diagnosis_messages::kWaitsProlog},
    {"Cleaning", job_diagnosis_messages::kWaitsCleaning},
    {"Licenses", job_diagnosis_messages::kWaitsLicenses},
    {"Reservation", job_diagnosis_messages::kWaitsReservation},
    {"ReservationDeleted", job_diagnosis_messages::kWaitsReservationDeleted},
    {"ReservationInvalid", job_diagnosis_messages::kWaitsReservationInvalid},
    {"JobHeldUser", job_diagnosis_messages::kWaitsJobHeldUser},
    {"JobHeldAdmin", job_diagnosis_messages::kWaitsJobHeldAdmin},
    {"JobHoldMaxRequeue", job_diagnosis_messages::kWaitsJobHoldMaxRequeue},
    {"launch_failed_requeued_held",
     job_diagnosis_messages::kWaitsLaunchFailedRequeuedHeld},
    {"PartitionDown", job_diagnosis_messages::kWaitsPartitionDown},
    {"PartitionInactive", job_diagnosis_messages::kWaitsPartitionInactive},
    {"PartitionNodeLimit", job_diagnosis_messages::kWaitsPartitionNodeLimit},
    {"PartitionTimeLimit", job_diagnosis_messages::kWaitsPartitionTimeLimit},
    {"PartitionConfig", job_diagnosis_messages::kWaitsPartitionConfig},
    {"NodeDown", job_diagnosis_messages::kWaitsNodeDown},
    {"FrontEndDown", job_diagnosis_messages::kWaitsNodeDown},
    {"ReqNodeNotAvail", job_diagnosis_messages::kWaitsReqNodeNotAvail},
    {"NodesNotAvail", job_diagnosis_messages::kWaitsNodesNotAvail},
    {"BadConstraints", job_diagnosis_messages::kWaitsBadConstraints},
    {"Constraints", job_diagnosis_messages::kWaitsConstraints},
    {"MaxPoweredUpNodes", job_diagnosis_messages::kWaitsMaxPoweredUpNodes},
    {"MpiPortsBusy", job_diagnosis_messages::kWaitsMpiPortsBusy},
    {"NvidiaImexChannels", job_diagnosis_messages::kWaitsNvidiaImexChannels},
    {"AccountingPolicy", job_diagnosis_messages::kWaitsAccountingPolicy},
    {"AssociationJobLimit", job_diagnosis_messages::kWaitsAssociationJobLimit},
    {"AssociationResourceLimit",
     job_diagnosis_messages::kWaitsAssociationResourceLimit},
    {"AssociationTimeLimit",
     job_diagnosis_messages::kWaitsAssociationTimeLimit},
    {"QOSJobLimit", job_diagnosis_messages::kWaitsQosJobLimit},
    {"QOSResourceLimit", job_diagnosis_messages::kWaitsQosResourceLimit},
    {"QOSTimeLimit", job_diagnosis_messages::kWaitsQosTimeLimit},
    {"QOSUsageThreshold", job_diagnosis_messages::kWaitsQosUsageThreshold},
    {"QOSNotAllowed", job_diagnosis_messages::kWaitsQosNotAllowed},
    {"AccountNotAllowed", job_diagnosis_messages::kWaitsAccountNotAllowed},
    {"InvalidAccount", job_diagnosis_messages::kWaitsInvalidAccount},
    {"InvalidQOS", job_diagnosis_messages::kWaitsInvalidQos},
    {"MaxMemPerLimit", job_diagnosis_messages::kWaitsMaxMemPerLimit},
    {"JobArrayTaskLimit", job_diagnosis_messages::kWaitsJobArrayTaskLimit},
    {"SchedDefer", job_diagnosis_messages::kWaitsSchedDefer},
    {"BurstBufferResources",
     job_diagnosis_messages::kWaitsBurstBufferResources},
    {"BurstBufferStageIn", job_diagnosis_messages::kWaitsBurstBufferStageIn},
    {"BurstBufferOperation",
     job_diagnosis_messages::kWaitsBurstBufferOperation},
    {"PowerNotAvail", job_diagnosis_messages::kWaitsPowerNotAvail},
    {"PowerReserved", job_diagnosis_messages::kWaitsPowerNotAvail},
    {"BlockMaxError", job_diagnosis_messages::kWaitsBlockMaxError},
    {"BlockFreeAction", job_diagnosis_messages::kWaitsBlockFreeAction},
    {"FedJobLock", job_diagnosis_messages::kWaitsFedJobLock},
    // Reasons of failures, which a requeued job may still have.
    {"SystemFailure", job_diagnosis_messages::kWaitsSystemFailure},
    {"JobLaunchFailure", job_diagnosis_messages::kWaitsJobLaunchFailure},
    {"RaisedSignal", job_diagnosis_messages::kWaitsRaisedSignal},
    {"NonZeroExitCode", job_diagnosis_messages::kWaitsNonZeroExitCode},
    {"TimeLimit", job_diagnosis_messages::kWaitsTimeLimit},
    {"InactiveLimit", job_diagnosis_messages::kWaitsInactiveLimit},
    {"DeadLine", job_diagnosis_messages::kWaitsDeadLine},
    {"OutOfMemory", job_diagnosis_messages::kWaitsOutOfMemory},
};

// The sentence only; nullopt for an unknown reason.
std::optional<DisplayText> Known(std::string_view word) {
  for (const ReasonText& row : kReasons) {
    if (row.reason == word) return MakeText(row.sentence);
  }
  return LimitReason(word);
}

// "about 130" for 127: a number that does not change with every poll.
DisplayText Ahead(int jobs, const JobSpec& spec) {
  if (jobs == 1) {
    return MakeText(job_diagnosis_messages::kOneJobAhead,
                    {{"partition", spec.partition}});
  }
  if (jobs < 20) {
    return MakeText(job_diagnosis_messages::kJobsAhead,
                    {{"jobs", jobs}, {"partition", spec.partition}});
  }
  int unit = 10;
  while (jobs / unit >= 100) unit *= 10;
  return MakeText(job_diagnosis_messages::kAboutJobsAhead,
                  {{"jobs", (jobs + unit / 2) / unit * unit},
                   {"partition", spec.partition}});
}

std::optional<absl::Duration> MaxTimeOf(const SlurmSnapshot& cluster,
                                        const std::string& partition) {
  for (const SlurmPartition& candidate : cluster.partitions) {
    if (candidate.name == partition) return candidate.max_walltime;
  }
  return std::nullopt;
}

// Zero: it has begun, or is unknown.
absl::Duration UntilReservation(const std::string& name,
                                const SlurmSnapshot& cluster) {
  for (const SlurmReservation& reservation : cluster.reservations) {
    if (reservation.name != name) continue;
    return std::max(absl::ZeroDuration(),
                    reservation.starts_at - cluster.asked_at);
  }
  return absl::ZeroDuration();
}

// Coarse, so that it rarely changes.
DisplayText WithTime(absl::Duration left, const TextTemplate& hours,
                     const TextTemplate& minutes) {
  if (left >= absl::Hours(2)) {
    return MakeText(hours, {{"hours", absl::ToInt64Hours(left)}});
  }
  return MakeText(minutes,
                  {{"minutes", absl::ToInt64Minutes(left) / 10 * 10 + 10}});
}

// Slurm starts no job whose time limit reaches into a maintenance reservation.
// Empty: the job waits for another reason.
DisplayText WaitForMaintenance(const std::string& word, const SlurmJob& slurm,
                               const SlurmSnapshot& cluster) {
  if (word != "ReqNodeNotAvail" ||
      slurm.detail.find("maintenance") == std::string::npos) {
    return "";
  }
  const SlurmReservation* next = nullptr;
  for (const SlurmReservation& reservation : cluster.reservations) {
    if (!reservation.for_maintenance) continue;
    if (next == nullptr || reservation.starts_at < next->starts_at) {
      next = &reservation;
    }
  }
  const absl::Duration until = next == nullptr
                                   ? absl::ZeroDuration()
                                   : UntilReservation(next->name, cluster);
  if (until <= absl::ZeroDuration())
    return MakeText(job_diagnosis_messages::kWaitsForMaintenance);
  return WithTime(until, job_diagnosis_messages::kMaintenanceInHours,
                  job_diagnosis_messages::kMaintenanceInMinutes);
}

// The numbers for the reason, if the snapshot has them.
DisplayText WithNumbers(const std::string& word, const SlurmJob& slurm,
                        const JobSpec& spec, const SlurmSnapshot& cluster) {
  DisplayText maintenance = WaitForMaintenance(word, slurm, cluster);
  if (!maintenance.empty()) return maintenance;
  DisplayText sentence = PendingReason(word);
  if (word == "Priority" && slurm.ahead > 0) return Ahead(slurm.ahead, spec);
  if (word == "Resources") {
    const DisplayText shortage = Shortage(spec, cluster);
    if (shortage.empty()) return sentence;
    return MakeText(job_diagnosis_messages::kWithDetail,
                    {{"sentence", sentence}, {"detail", shortage}});
  }
  if (word == "PartitionTimeLimit") {
    const auto max = MaxTimeOf(cluster, spec.partition);
    if (!max.has_value()) return sentence;
    return MakeText(job_diagnosis_messages::kPartitionTime,
                    {{"minutes", absl::ToInt64Minutes(spec.walltime)},
                     {"partition", spec.partition},
                     {"max", absl::ToInt64Minutes(*max)}});
  }
  if (word == "Reservation") {
    const absl::Duration until = UntilReservation(slurm.reservation, cluster);
    if (until <= absl::ZeroDuration()) return sentence;
    return WithTime(until, job_diagnosis_messages::kReservationInHours,
                    job_diagnosis_messages::kReservationInMinutes);
  }
  if (cluster.accounting != nullptr) {
    const DisplayText numbers = NumbersBehind(*cluster.accounting, word, slurm);
    if (!numbers.empty()) {
      return MakeText(job_diagnosis_messages::kWithDetail,
                      {{"sentence", sentence}, {"detail", numbers}});
    }
  }
  return sentence;
}

}  // namespace

DisplayText PendingReason(std::string_view slurm_reason) {
  const std::string text = PlainText(slurm_reason, 64);
  std::string_view word = text;
  // Some releases of Slurm append details to the reason itself.
  const size_t end = word.find_first_of(",( ");
  if (const auto all = Known(word); all.has_value()) return *all;
  if (end != std::string_view::npos) {
    const auto known = Known(word.substr(0, end));
    if (known.has_value()) {
      return MakeText(job_diagnosis_messages::kWithReason,
                      {{"sentence", *known}, {"reason", text}});
    }
  }
  if (word.starts_with("QOS") || word.starts_with("Assoc")) {
    return MakeText(job_diagnosis_messages::kUnknownLimit, {{"reason", text}});
  }
  return MakeText(job_diagnosis_messages::kUnknownReason, {{"reason", text}});
}

DisplayText PendingReason(const SlurmJob& slurm, const JobSpec& spec,
                          const SlurmSnapshot* cluster) {
  const std::string word = PlainText(slurm.reason, 64);
  DisplayText sentence = cluster != nullptr
                             ? WithNumbers(word, slurm, spec, *cluster)
                             : PendingReason(word);
  std::string detail = PlainText(slurm.detail, kMaxDetail);
  // A detail that starts with the reason repeats it.
  if (!word.empty() && detail.rfind(word + ", ", 0) == 0) {
    detail.erase(0, word.size() + 2);
  }
  if (!detail.empty() && detail != word) {
    sentence = MakeText(job_diagnosis_messages::kWithReason,
                        {{"sentence", sentence}, {"reason", detail}});
  }
  if (slurm.restarts == 1) {
    return MakeText(job_diagnosis_messages::kRequeuedOnce,
                    {{"sentence", sentence}});
  }
  if (slurm.restarts > 1) {
    return MakeText(job_diagnosis_messages::kRequeued,
                    {{"sentence", sentence}, {"times", slurm.restarts}});
  }
  return sentence;
}

}  // namespace carme::backend
