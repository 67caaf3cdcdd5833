#include "backend/jobs/diagnosis/slurm_limits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/jobs/diagnosis/pending_reason.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

const Uid kAda{20001}, kBob{20002};

SlurmAssociation Account(const std::string& name, const std::string& parent,
                         std::vector<SlurmLimit> limits) {
  SlurmAssociation row;
  row.account = name;
  row.parent = parent;
  row.limits = std::move(limits);
  return row;
}

SlurmAssociation Of(const std::string& user, Uid uid,
                    std::vector<SlurmLimit> limits) {
  SlurmAssociation row;
  row.account = "chem";
  row.user = user;
  row.uid = uid;
  row.qos = {"short"};
  row.limits = std::move(limits);
  return row;
}

SlurmSnapshot Cluster() {
  auto accounting = std::make_shared<SlurmAccounting>();
  accounting->associations = {
      Account("root", "", {}),
      Account("site", "root",
              {{.name = "GrpTRES", .tres = "gres/gpu", .max = 8, .used = 8}}),
      Account("chem", "site",
              {{.name = "GrpTRES", .tres = "gres/gpu", .max = 4, .used = 3},
               {.name = "GrpTRESMins", .tres = "cpu", .max = 600, .used = 90},
               {.name = "GrpWall", .max = 500, .used = 20}}),
      Of("ada", kAda,
         {{.name = "MaxJobs", .max = 2, .used = 2},
          {.name = "MaxWallDurationPerJob", .max = 60},
          {.name = "MaxTRESPerJob", .tres = "mem", .max = 2048}}),
      Of("bob", kBob, {{.name = "MaxJobs", .max = 7, .used = 0}})};
  SlurmQos qos;
  qos.name = "short";
  qos.limits = {{.name = "MaxTRESPerUser", .tres = "gres/gpu:a100", .max = 2},
                {.name = "MaxJobsPerUser", .max = 3}};
  qos.used_by[kAda] = {{"gres/gpu:a100", 1}, {"jobs", 1}};
  accounting->qos = {qos};
  SlurmSnapshot cluster = SmallCluster();
  cluster.accounting = accounting;
  return cluster;
}

SlurmJob Waiting(const std::string& reason, Uid uid = kAda) {
  SlurmJob job;
  job.uid = uid;
  job.state = SlurmState::kPending;
  job.reason = reason;
  job.account = "chem";
  job.qos = "short";
  return job;
}

std::vector<std::string> SentencesFor(const std::string& user, Uid uid) {
  std::vector<std::string> sentences;
  for (const OwnSlurmLimit& own : SlurmLimitsOf(Cluster(), user, uid)) {
    sentences.push_back(own.sentence);
  }
  return sentences;
}

bool Has(const std::vector<std::string>& sentences, const std::string& one) {
  return std::find(sentences.begin(), sentences.end(), one) != sentences.end();
}

TEST_CASE("slurm limits: a user sees only their own limits", "[jobs]") {
  const auto adas = SentencesFor("ada", kAda);
  CHECK_FALSE(Has(adas, "bob in account chem: at most 7 jobs at once"));
  const auto nobodys = SentencesFor("nobody", Uid(1));
  CHECK(nobodys == SentencesFor("", Uid(1)));
  for (const std::string& sentence : nobodys) {
    CHECK(sentence.starts_with("partition "));
  }
}

TEST_CASE("slurm limits: describes limits of user, accounts and QOS",
          "[jobs]") {
  const auto adas = SentencesFor("ada", kAda);
  for (const char* sentence :
       {"ada in account chem: at most 2 jobs at once",
        "ada in account chem: each job at most 60 min",
        "ada in account chem: each job at most 2 GiB of memory",
        "account chem: all together at most 4 GPUs at once",
        "account chem: all together at most 600 CPU minutes",
        "account chem: all together at most 500 min",
        "account site: all together at most 8 GPUs at once",
        "QOS short: each user at most 2 a100 GPUs at once",
        "partition main: each job at most 480 min"}) {
    INFO(sentence);
    CHECK(Has(adas, sentence));
  }
}

TEST_CASE("slurm limits: lists the QOS that the user may use", "[jobs]") {
  SlurmAccounting accounting = *Cluster().accounting;
  SlurmAssociation other = Of("ada", kAda, {});
  other.account = "vision";
  other.qos = {"normal", "long"};
  accounting.associations.push_back(other);
  accounting.associations.back().qos.push_back("short");
  SlurmSnapshot cluster = SmallCluster();
  CHECK(QosOf(cluster, "ada").empty());
  cluster.accounting = std::make_shared<SlurmAccounting>(accounting);
  const std::vector<std::string> adas = {"long", "normal", "short"};
  CHECK(QosOf(cluster, "ada") == adas);
  CHECK(QosOf(cluster, "bob") == std::vector<std::string>{"short"});
  CHECK(QosOf(cluster, "eve").empty());
  // Not those of accounts.
  CHECK(QosOf(cluster, "").empty());
}

TEST_CASE("slurm limits: the numbers behind a reason", "[jobs]") {
  const SlurmSnapshot cluster = Cluster();
  const auto behind = [&](const std::string& reason, Uid uid = kAda) {
    return NumbersBehind(*cluster.accounting, reason, Waiting(reason, uid))
        .text;
  };
  // The account has one left, the one above it none.
  CHECK(behind("AssocGrpGRES") == "8 of 8 GPUs are used in account site");
  CHECK(behind("AssocMaxJobsLimit") ==
        "2 of 2 jobs are used in your part of account chem");
  CHECK(behind("AssocGrpCPUMinutesLimit") ==
        "90 of 600 CPU minutes are used in account chem");
  CHECK(behind("AssocMaxWallDurationPerJobLimit") ==
        "your part of account chem has 60 min as its bound");
  CHECK(behind("QOSMaxGRESPerUser") ==
        "1 of 2 a100 GPUs are used in QOS short");
  CHECK(behind("QOSMaxGRESPerUser", kBob) ==
        "0 of 2 a100 GPUs are used in QOS short");
  CHECK(behind("QOSMaxJobsPerUserLimit") ==
        "1 of 3 jobs are used in QOS short");
  for (const char* unknown :
       {"", "Assoc", "QOS", "AssocGrp", "AssocMaxUnknown", "QOSGrpNodeLimit",
        "Resources", "AssocGrpSubmitJobsLimit"}) {
    INFO(unknown);
    CHECK(behind(unknown).empty());
  }
  CHECK(behind("AssocGrpGRES", Uid(7)).empty());
}

TEST_CASE("slurm limits: a pending job shows them", "[jobs]") {
  const SlurmSnapshot cluster = Cluster();
  const std::string sentence =
      PendingReason(Waiting("AssocGrpGRES"), {}, &cluster).text;
  CHECK(sentence ==
        "all who share your account use the most GPUs it may have at once: it "
        "starts when jobs of them end (AssocGrpGRES): 8 of 8 GPUs are used in "
        "account site");
}

TEST_CASE("slurm limits: cyclic account parents end", "[jobs]") {
  SlurmAccounting accounting;
  accounting.associations = {
      Account("a", "b", {}), Account("b", "a", {}),
      Of("ada", kAda, {{.name = "MaxJobs", .max = 2, .used = 2}})};
  accounting.associations[2].account = "a";
  SlurmJob job = Waiting("AssocGrpGRES");
  job.account = "a";
  CHECK(NumbersBehind(accounting, job.reason, job).empty());
}

}  // namespace
}  // namespace carme::backend
