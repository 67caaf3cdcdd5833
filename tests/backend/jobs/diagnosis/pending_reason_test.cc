#include "backend/jobs/diagnosis/pending_reason.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "backend/slurm/libslurm/libslurm.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

SlurmJob Waiting(const std::string& reason, const std::string& detail = "") {
  SlurmJob slurm;
  slurm.id = SlurmJobId(7);
  slurm.state = SlurmState::kPending;
  slurm.reason = reason;
  slurm.detail = detail;
  return slurm;
}

const JobSpec kSpec = {.nodes = 1,
                       .gpus_per_node = 4,
                       .gpu_type = "a100",
                       .cpus_per_node = 4,
                       .memory_per_node_mib = 4096,
                       .walltime = absl::Hours(10),
                       .partition = "main"};

TEST_CASE("pending reason: each reason of libslurm has a sentence", "[jobs]") {
  std::set<std::string> words;
  for (int reason = WAIT_NO_REASON; reason <= WAIT_RESV_DELETED; ++reason) {
    slurm_job_info_t job{};
    job.state_reason = static_cast<decltype(job.state_reason)>(reason);
    const std::string word = ReasonOf(job);
    // What Slurm 24.11 says of numbers that it does not use any more.
    if (word == "InvaildReason") continue;
    words.insert(word);
    const std::string sentence = PendingReason(word).text;
    INFO(word << ": " << sentence);
    CHECK(sentence.find("Slurm says") == std::string::npos);
    CHECK(sentence.find("a limit of its account or QOS") == std::string::npos);
    CHECK(sentence.size() > 15);
    CHECK_FALSE(sentence.ends_with("."));
  }
  CHECK(words.size() > 150);
}

TEST_CASE("pending reason: reasons of later releases have a sentence",
          "[jobs]") {
  for (const char* word :
       {"AssocGrpJobsLimit", "QOSGrpJobsLimit", "MaxGRESRunMinsPerUser",
        "MaxCpuRunMinsPerAccount", "ReservationInvalid", "Constraints",
        "MaxPoweredUpNodes", "MpiPortsBusy", "NvidiaImexChannels"}) {
    const std::string sentence = PendingReason(word).text;
    INFO(sentence);
    CHECK(sentence.find("Slurm says") == std::string::npos);
    CHECK(sentence.find("a limit of its account or QOS") == std::string::npos);
  }
  CHECK(PendingReason("MaxGRESRunMinsPerUser").text ==
        "you use the most GPU minutes that its QOS allows one user: it starts "
        "when another of your jobs ends (MaxGRESRunMinsPerUser)");
}

TEST_CASE("pending reason: names the maintenance that a job would run into",
          "[jobs]") {
  SlurmSnapshot cluster = SmallCluster();
  const SlurmJob slurm =
      Waiting("ReqNodeNotAvail", "ReqNodeNotAvail, Reserved for maintenance");
  const auto text = [&] { return PendingReason(slurm, kSpec, &cluster).text; };
  CHECK(text() ==
        "waiting until maintenance of its nodes has ended (Reserved for "
        "maintenance)");
  SlurmReservation reservation{.name = "maintenance",
                               .starts_at = cluster.asked_at + absl::Hours(3),
                               .ends_at = cluster.asked_at + absl::Hours(9),
                               .nodes = {},
                               .partition = "",
                               .users = {"carol"},
                               .accounts = {},
                               .for_maintenance = true};
  cluster.reservations = {reservation};
  CHECK(text() ==
        "its time limit reaches into maintenance, which begins in 3 h: stop it "
        "and request less time, or wait until it has ended (Reserved for "
        "maintenance)");
  cluster.reservations[0].starts_at = cluster.asked_at;
  CHECK(text() ==
        "waiting until maintenance of its nodes has ended (Reserved for "
        "maintenance)");
  CHECK(PendingReason(Waiting("ReqNodeNotAvail"), kSpec, &cluster).text ==
        "the nodes it could use are down or reserved");
}

TEST_CASE("pending reason: an unknown reason is quoted", "[jobs]") {
  CHECK(PendingReason("Some\nThing").text ==
        "waiting: Slurm says \"Some?Thing\"");
  CHECK(PendingReason("QOSMaxNewThing").text ==
        "a limit of its account or QOS in Slurm is reached (QOSMaxNewThing)");
  CHECK(PendingReason(std::string(1000, 'x')).text.size() < 100);
  CHECK(PendingReason(Waiting("Dependency", std::string(1000, 'x')), kSpec,
                      nullptr)
            .text.size() < 300);
}

TEST_CASE("pending reason: is a sentence", "[jobs]") {
  CHECK(PendingReason("Resources").text == "waiting for enough free resources");
  CHECK(PendingReason("ReqNodeNotAvail, UnavailableNodes:n1").text ==
        "the nodes it could use are down or reserved (ReqNodeNotAvail, "
        "UnavailableNodes:n1)");
}

TEST_CASE("pending reason: names the start of a reservation", "[jobs]") {
  SlurmSnapshot cluster = SmallCluster();
  SlurmReservation reservation{.name = "class",
                               .starts_at = cluster.asked_at + absl::Hours(3),
                               .ends_at = cluster.asked_at + absl::Hours(5),
                               .nodes = {},
                               .partition = "",
                               .users = {},
                               .accounts = {}};
  SlurmJob slurm = Waiting("Reservation", "class");
  slurm.reservation = "class";
  const auto words = [&](absl::Duration until) {
    reservation.starts_at = cluster.asked_at + until;
    cluster.reservations = {reservation};
    return PendingReason(slurm, kSpec, &cluster).text;
  };
  const std::string plain = "waiting for its reservation to begin";
  CHECK(words(absl::Hours(3)) == plain + " in 3 h (class)");
  CHECK(words(absl::Minutes(34)) == plain + " in 40 min at most (class)");
  CHECK(words(-absl::Minutes(1)) == plain + " (class)");
  cluster.reservations.clear();
  CHECK(PendingReason(slurm, kSpec, &cluster).text == plain + " (class)");
}

TEST_CASE("pending reason: names a limit's owner and what to do", "[jobs]") {
  CHECK(PendingReason("QOSMaxGRESPerUser").text ==
        "you use the most GPUs that its QOS allows one user: it starts when "
        "another of your jobs ends (QOSMaxGRESPerUser)");
  CHECK(PendingReason("AssocGrpCPUMinutesLimit").text ==
        "the CPU minutes that your account has are used up: an administrator "
        "can give more (AssocGrpCPUMinutesLimit)");
  CHECK(PendingReason("AssocGrpGRESRunMinutes").text ==
        "the running jobs of all who share your account have reserved all its "
        "GPU minutes: it starts when some of them end "
        "(AssocGrpGRESRunMinutes)");
  CHECK(PendingReason("AssocGrpNodeLimit").text ==
        "all who share your account use the most nodes it may have at once: "
        "it starts when jobs of them end (AssocGrpNodeLimit)");
  CHECK(PendingReason("QOSMaxWallDurationPerJobLimit").text ==
        "it requests more time than its QOS gives to one job: stop it and "
        "request less (QOSMaxWallDurationPerJobLimit)");
  CHECK(PendingReason("AssocMaxJobsLimit").text ==
        "you use the most jobs that your account allows one user: it starts "
        "when another of your jobs ends (AssocMaxJobsLimit)");
  CHECK(PendingReason("MaxGRESPerAccount").text ==
        "your account uses the most GPUs that its QOS allows one account: it "
        "starts when another job of the account ends (MaxGRESPerAccount)");
  CHECK(PendingReason("QOSMinGRES").text ==
        "its QOS requires more GPUs than it requests: stop it and request more "
        "(QOSMinGRES)");
}

TEST_CASE("pending reason: has the numbers behind it", "[jobs]") {
  SlurmSnapshot cluster = SmallCluster();
  cluster.nodes[0].gpus_used = {{"a100", 3}};
  cluster.nodes[1].gpus_used = {{"a100", 4}};
  CHECK(PendingReason(Waiting("Resources"), kSpec, &cluster).text ==
        "waiting for enough free resources: 1 of 8 a100 GPUs is free");
  CHECK(PendingReason(Waiting("PartitionTimeLimit"), kSpec, &cluster).text ==
        "it wants 600 min: partition \"main\" gives at most 480 min: stop it "
        "and request less");
  SlurmJob behind = Waiting("Priority");
  CHECK(PendingReason(behind, kSpec, &cluster).text ==
        "other jobs are ahead in the queue");
  struct Row {
    int ahead;
    const char* words;
  };
  for (const Row& row :
       {Row{1, "1 job is"}, Row{19, "19 jobs are"},
        Row{20, "about 20 jobs are"}, Row{127, "about 130 jobs are"},
        Row{10049, "about 10000 jobs are"}}) {
    behind.ahead = row.ahead;
    CHECK(PendingReason(behind, kSpec, &cluster).text ==
          std::string(row.words) + " ahead in the queue of partition \"main\"");
  }
}

TEST_CASE("pending reason: includes the details of Slurm", "[jobs]") {
  CHECK(PendingReason(
            Waiting("ReqNodeNotAvail", "ReqNodeNotAvail, UnavailableNodes:n1"),
            kSpec, nullptr)
            .text ==
        "the nodes it could use are down or reserved (UnavailableNodes:n1)");
  CHECK(PendingReason(Waiting("JobHeldUser"), kSpec, nullptr).text ==
        "held by its user: it waits until it is released");
  SlurmJob again = Waiting("BeginTime");
  again.restarts = 2;
  CHECK(PendingReason(again, kSpec, nullptr).text ==
        "waiting for its start time; Slurm has put it back into the queue 2 "
        "times");
}

}  // namespace
}  // namespace carme::backend
