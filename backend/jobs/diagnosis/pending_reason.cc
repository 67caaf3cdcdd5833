#include "backend/jobs/diagnosis/pending_reason.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/policy/cluster/shortage.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr char kAskForLess[] = ": stop it and request less";

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
  const char* some;
  const char* minutes;
};

// In the spelling of the reasons. A longer word comes before its own prefix.
constexpr Resource kResources[] = {
    {"SubmitJobs", "submitted jobs", ""},
    {"SubmitJob", "submitted jobs", ""},
    {"Jobs", "jobs", ""},
    {"WallDuration", "time", ""},
    {"Wall", "time", ""},
    {"Cpu", "CPUs", "CPU minutes"},
    {"CPU", "CPUs", "CPU minutes"},
    {"Memory", "memory", "minutes of memory"},
    {"Mem", "memory", "minutes of memory"},
    {"Node", "nodes", "node minutes"},
    {"GRES", "GPUs", "GPU minutes"},
    {"License", "licences", "licence minutes"},
    {"BB", "burst buffer", "minutes of burst buffer"},
    {"Energy", "energy", "minutes of energy"},
    {"Billing", "billing units", "billing minutes"},
    {"Unknown", "units of a resource", "minutes of a resource"},
};

// A limit, parsed from its reason.
struct Limit {
  std::string owner;  // "your account", "its QOS"
  bool group = false;
  bool is_min = false;
  const Resource* resource = nullptr;
  bool minutes = false;
  bool running = false;      // minutes reserved by running jobs
  std::string_view of = {};  // "PerJob", "PerNode", "PerUser", "PerAccount"
};

std::optional<Limit> Parse(std::string_view word) {
  Limit limit;
  if (Take(&word, "Assoc")) {
    limit.owner = "your account";
  } else if (Take(&word, "QOS")) {
    limit.owner = "its QOS";
  } else if (word.ends_with("PerAccount") || word.ends_with("PerUser")) {
    limit.owner = "its QOS";
  } else {
    return std::nullopt;
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

std::string Sentence(const Limit& limit) {
  const std::string what =
      limit.minutes ? limit.resource->minutes : limit.resource->some;
  if (limit.is_min) {
    return absl::StrCat(limit.owner, " requires more ", what,
                        " than it requests: stop it and request more");
  }
  if (limit.group && limit.running) {
    return absl::StrCat("the running jobs of all who share ", limit.owner,
                        " have reserved all its ", what,
                        ": it starts when some of them end");
  }
  if (limit.group && (limit.minutes || what == "time")) {
    return absl::StrCat("the ", what, " that ", limit.owner,
                        " has are used up: an administrator can give more");
  }
  if (limit.group) {
    return absl::StrCat("all who share ", limit.owner, " use the most ", what,
                        " it may have at once: it starts when jobs of them "
                        "end");
  }
  if (limit.of == "PerUser" || limit.of.empty()) {
    return absl::StrCat(
        "you use the most ", what, " that ", limit.owner,
        " allows one user: it starts when another of your jobs ends");
  }
  if (limit.of == "PerAccount") {
    return absl::StrCat("your account uses the most ", what,
                        " that its QOS allows one account: it starts when "
                        "another job of the account ends");
  }
  const char* each = limit.of == "PerNode" ? " on one node" : " to one job";
  return absl::StrCat("it requests more ", what, " than ", limit.owner,
                      " gives", each, kAskForLess);
}

// One sentence for a limit of an account or a QOS, such as "QOSMaxGRESPerUser";
// nullopt for another reason. Slurm has about 140 of these reasons, composed of
// the owner of the limit, the resource, the scope and the period.
std::optional<std::string> LimitReason(std::string_view word) {
  const std::optional<Limit> limit = Parse(word);
  if (!limit.has_value()) return std::nullopt;
  const absl::string_view plain(word.data(), word.size());
  return absl::StrCat(Sentence(*limit), " (", plain, ")");
}

constexpr size_t kMaxDetail = 200;

struct ReasonText {
  std::string_view reason;
  const char* sentence;
};

// The reasons of Slurm's enum job_state_reason; LimitReason() has those for
// limits of accounts and QOS.
constexpr ReasonText kReasons[] = {
    {"", "waiting for Slurm to schedule it"},
    {"None", "waiting for Slurm to schedule it"},
    {"Resources", "waiting for enough free resources"},
    {"Priority", "other jobs are ahead in the queue"},
    {"Dependency", "waiting for another job"},
    {"DependencyNeverSatisfied",
     "the job that it depends on did not end as required, so it never starts: "
     "stop it"},
    {"BeginTime", "waiting for its start time"},
    {"Prolog", "a node is being prepared"},
    {"Cleaning", "Slurm is cleaning up after an earlier attempt"},
    {"Licenses", "waiting for a free licence"},
    {"Reservation", "waiting for its reservation to begin"},
    {"ReservationDeleted",
     "its reservation was deleted: stop it and start it without one"},
    {"ReservationInvalid",
     "its reservation cannot be used: stop it and start it without one"},
    {"JobHeldUser", "held by its user: it waits until it is released"},
    {"JobHeldAdmin", "held by an administrator, who alone can release it"},
    {"JobHoldMaxRequeue",
     "held by Slurm, it failed to start too often: tell an administrator"},
    {"launch_failed_requeued_held",
     "held by Slurm, it failed to start: tell an administrator"},
    {"PartitionDown", "its partition is down"},
    {"PartitionInactive", "its partition is inactive"},
    {"PartitionNodeLimit",
     "it requests more nodes than its partition allows: stop it and request "
     "less"},
    {"PartitionTimeLimit",
     "it requests more time than its partition allows: stop it and request "
     "less"},
    {"PartitionConfig",
     "its partition does not accept it: stop it and choose another"},
    {"NodeDown", "a node it needs is down"},
    {"FrontEndDown", "a node it needs is down"},
    {"ReqNodeNotAvail", "the nodes it could use are down or reserved"},
    {"NodesNotAvail", "the nodes it could use are down"},
    {"BadConstraints",
     "no node has what it requests: stop it and request something else"},
    {"Constraints", "no free node has what it requests"},
    {"MaxPoweredUpNodes", "the maximum number of nodes is powered up"},
    {"MpiPortsBusy", "waiting for free network ports for its MPI programs"},
    {"NvidiaImexChannels", "waiting for a free NVIDIA IMEX channel"},
    {"AccountingPolicy", "a limit of its account in Slurm is reached"},
    {"AssociationJobLimit", "your account runs the maximum number of jobs"},
    {"AssociationResourceLimit",
     "your account uses the maximum of its resources"},
    {"AssociationTimeLimit", "the time budget of your account is used up"},
    {"QOSJobLimit", "its QOS runs the maximum number of jobs"},
    {"QOSResourceLimit", "its QOS uses the maximum of its resources"},
    {"QOSTimeLimit", "the time budget of its QOS is used up"},
    {"QOSUsageThreshold",
     "your account has used too much lately for its QOS: it starts later"},
    {"QOSNotAllowed", "its partition or account may not use its QOS"},
    {"AccountNotAllowed", "its account may not use its partition"},
    {"InvalidAccount", "its account in Slurm is not valid"},
    {"InvalidQOS", "its QOS in Slurm is not valid"},
    {"MaxMemPerLimit",
     "it requests more memory than its partition gives: stop it and request "
     "less"},
    {"JobArrayTaskLimit",
     "the maximum number of tasks of its array is running"},
    {"SchedDefer", "Slurm is busy and schedules it later"},
    {"BurstBufferResources", "waiting for room in the burst buffer"},
    {"BurstBufferStageIn", "its data is being copied to the burst buffer"},
    {"BurstBufferOperation", "the burst buffer failed: tell an administrator"},
    {"PowerNotAvail", "waiting until there is enough electric power"},
    {"PowerReserved", "waiting until there is enough electric power"},
    {"BlockMaxError", "too much hardware of its nodes is faulty"},
    {"BlockFreeAction", "the nodes it needs are being freed"},
    {"FedJobLock", "another cluster of the federation schedules it"},
    // Reasons of failures, which a requeued job may still have.
    {"SystemFailure", "Slurm itself failed: tell an administrator"},
    {"JobLaunchFailure", "Slurm could not start it on its nodes"},
    {"RaisedSignal", "a signal ended it and it was put back into the queue"},
    {"NonZeroExitCode", "it failed and was put back into the queue"},
    {"TimeLimit", "it reached its walltime and was put back into the queue"},
    {"InactiveLimit", "nothing ran in it and it was put back into the queue"},
    {"DeadLine", "its deadline can no longer be met: stop it"},
    {"OutOfMemory", "it ran out of memory and was put back into the queue"},
};

// The sentence only; nullopt for an unknown reason.
std::optional<std::string> Known(std::string_view word) {
  for (const ReasonText& row : kReasons) {
    if (row.reason == word) return row.sentence;
  }
  return LimitReason(word);
}

// "about 130" for 127: a number that does not change with every poll.
std::string About(int number) {
  if (number < 20) return absl::StrCat(number);
  int unit = 10;
  while (number / unit >= 100) unit *= 10;
  return absl::StrCat("about ", (number + unit / 2) / unit * unit);
}

std::string Ahead(int jobs, const JobSpec& spec) {
  return absl::StrCat(About(jobs), jobs == 1 ? " job is" : " jobs are",
                      " ahead in the queue of partition \"", spec.partition,
                      "\"");
}

std::optional<absl::Duration> MaxTimeOf(const SlurmSnapshot& cluster,
                                        const std::string& partition) {
  for (const SlurmPartition& candidate : cluster.partitions) {
    if (candidate.name == partition) return candidate.max_walltime;
  }
  return std::nullopt;
}

// "in 3 h", "in 40 min": coarse, so that it rarely changes. Empty: it has
// begun, or is unknown.
std::string UntilReservation(const std::string& name,
                             const SlurmSnapshot& cluster) {
  for (const SlurmReservation& reservation : cluster.reservations) {
    if (reservation.name != name) continue;
    const absl::Duration left = reservation.starts_at - cluster.asked_at;
    if (left <= absl::ZeroDuration()) return "";
    if (left >= absl::Hours(2)) {
      return absl::StrCat("in ", absl::ToInt64Hours(left), " h");
    }
    return absl::StrCat("in ", absl::ToInt64Minutes(left) / 10 * 10 + 10,
                        " min at most");
  }
  return "";
}

// Slurm starts no job whose time limit reaches into a maintenance reservation.
// Empty: the job waits for another reason.
std::string WaitForMaintenance(const std::string& word, const SlurmJob& slurm,
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
  const std::string until =
      next == nullptr ? "" : UntilReservation(next->name, cluster);
  if (until.empty()) return "waiting until maintenance of its nodes has ended";
  return absl::StrCat("its time limit reaches into maintenance, which begins ",
                      until, kAskForLess, " time, or wait until it has ended");
}

// The numbers for the reason, if the snapshot has them.
std::string WithNumbers(const std::string& word, const SlurmJob& slurm,
                        const JobSpec& spec, const SlurmSnapshot& cluster) {
  const std::string maintenance = WaitForMaintenance(word, slurm, cluster);
  if (!maintenance.empty()) return maintenance;
  const std::string sentence = PendingReason(word);
  if (word == "Priority" && slurm.ahead > 0) return Ahead(slurm.ahead, spec);
  if (word == "Resources") {
    const std::string shortage = Shortage(spec, cluster);
    return shortage.empty() ? sentence : absl::StrCat(sentence, ": ", shortage);
  }
  if (word == "PartitionTimeLimit") {
    const auto max = MaxTimeOf(cluster, spec.partition);
    if (!max.has_value()) return sentence;
    return absl::StrCat("it wants ", absl::ToInt64Minutes(spec.walltime),
                        " min: partition \"", spec.partition,
                        "\" gives at most ", absl::ToInt64Minutes(*max),
                        " min: stop it and request less");
  }
  if (word == "Reservation") {
    const std::string until = UntilReservation(slurm.reservation, cluster);
    return until.empty() ? sentence : absl::StrCat(sentence, " ", until);
  }
  if (cluster.accounting != nullptr) {
    const std::string numbers = NumbersBehind(*cluster.accounting, word, slurm);
    if (!numbers.empty()) return absl::StrCat(sentence, ": ", numbers);
  }
  return sentence;
}

}  // namespace

std::string PendingReason(std::string_view slurm_reason) {
  const std::string text = PlainText(slurm_reason, 64);
  std::string_view word = text;
  // Some releases of Slurm append details to the reason itself.
  const size_t end = word.find_first_of(",( ");
  if (const auto all = Known(word); all.has_value()) return *all;
  if (end != std::string_view::npos) {
    const auto known = Known(word.substr(0, end));
    if (known.has_value()) return absl::StrCat(*known, " (", text, ")");
  }
  if (word.starts_with("QOS") || word.starts_with("Assoc")) {
    return absl::StrCat("a limit of its account or QOS in Slurm is reached (",
                        text, ")");
  }
  return absl::StrCat("waiting: Slurm says \"", text, "\"");
}

std::string PendingReason(const SlurmJob& slurm, const JobSpec& spec,
                          const SlurmSnapshot* cluster) {
  const std::string word = PlainText(slurm.reason, 64);
  std::string sentence = cluster != nullptr
                             ? WithNumbers(word, slurm, spec, *cluster)
                             : PendingReason(word);
  std::string detail = PlainText(slurm.detail, kMaxDetail);
  // A detail that starts with the reason repeats it.
  if (!word.empty() && detail.rfind(word + ", ", 0) == 0) {
    detail.erase(0, word.size() + 2);
  }
  if (!detail.empty() && detail != word) {
    absl::StrAppend(&sentence, " (", detail, ")");
  }
  if (slurm.restarts > 0) {
    absl::StrAppend(&sentence, "; Slurm has put it back into the queue ",
                    slurm.restarts, slurm.restarts == 1 ? " time" : " times");
  }
  return sentence;
}

}  // namespace carme::backend
