#include "backend/slurm/limits/walltime_limits.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

const Uid kAda{20001};

SlurmLimit MaxWall(uint64_t minutes) {
  return {.name = "MaxWallDurationPerJob", .max = minutes};
}

// ada's job in account "vision" below "site" below "root".
SlurmAccounting Site() {
  SlurmAccounting site;
  site.associations = {{.account = "root"},
                       {.account = "site", .parent = "root"},
                       {.account = "vision", .parent = "site"},
                       {.account = "vision", .user = "ada", .uid = kAda}};
  site.qos = {{.name = "normal"}, {.name = "short"}, {.name = "debug"}};
  return site;
}

LimitedJob AdasJob() {
  return {.account = "vision",
          .uid = kAda,
          .partition = "main",
          .qos = "normal",
          .walltime = absl::Minutes(60),
          .remaining = absl::Minutes(40),
          .tres = TresCounts{{"cpu", 4}, {"gres/gpu", 2}}};
}

std::string Longest(const SlurmAccounting& site, const LimitedJob& job) {
  const absl::StatusOr<WalltimeLimit> limit = MaxWalltimeFor(site, job);
  if (!limit.ok()) return std::string(limit.status().message());
  if (limit->max == absl::InfiniteDuration()) return "unlimited";
  return absl::StrCat(absl::ToInt64Minutes(limit->max), " ",
                      limit->source.text);
}

TEST_CASE("walltime limits: missing associations and QOS are errors",
          "[slurm]") {
  const SlurmAccounting site = Site();
  LimitedJob job = AdasJob();
  job.qos = "gone";
  CHECK(Longest(site, job) == "Slurm reports no QOS \"gone\"");
  job = AdasJob();
  job.partition_qos = "gone";
  CHECK(Longest(site, job) == "Slurm reports no QOS \"gone\"");
  job = AdasJob();
  job.uid = Uid(20002);
  CHECK(absl::IsNotFound(MaxWalltimeFor(site, job).status()));
  SlurmAccounting without_account = Site();
  without_account.associations.erase(without_account.associations.begin() + 1);
  CHECK(Longest(without_account, AdasJob()) ==
        "Slurm reports no account \"site\"");
}

TEST_CASE("walltime limits: the smallest MaxWall applies", "[slurm]") {
  SlurmAccounting site = Site();
  LimitedJob job = AdasJob();
  job.partition_qos = "debug";
  CHECK(Longest(site, job) == "unlimited");
  site.associations[0].limits = {MaxWall(600)};
  CHECK(Longest(site, job) == "600 account root");
  site.associations[1].limits = {MaxWall(500)};
  CHECK(Longest(site, job) == "500 account site");
  site.associations[3].limits = {MaxWall(400)};
  CHECK(Longest(site, job) == "400 ada in account vision");
  site.qos[0].limits = {MaxWall(300)};
  CHECK(Longest(site, job) == "300 QOS normal");
  site.qos[2].limits = {MaxWall(200)};
  CHECK(Longest(site, job) == "200 QOS debug");
  site.qos[1].limits = {MaxWall(1)};  // not the job's
  CHECK(Longest(site, job) == "200 QOS debug");
  // The association for the partition applies there, and only there.
  site.associations.push_back({.account = "vision",
                               .user = "ada",
                               .uid = kAda,
                               .partition = "main",
                               .limits = {MaxWall(100)}});
  CHECK(Longest(site, job) == "100 ada in account vision, partition main");
  job.partition = "other";
  CHECK(Longest(site, job) == "200 QOS debug");
}

TEST_CASE("walltime limits: TRES minutes of a job and of a group", "[slurm]") {
  SlurmAccounting site = Site();
  LimitedJob job = AdasJob();
  site.qos[0].limits = {
      {.name = "MaxTRESMinsPerJob", .tres = "gres/gpu", .max = 301}};
  CHECK(Longest(site, job) == "150 QOS normal");
  site.qos[0].limits = {
      {.name = "MaxTRESMinsPerJob", .tres = "energy", .max = 1}};
  CHECK(Longest(site, job) == "unlimited");
  // 1000 - 500 - 300 = 200 minutes of 2 GPUs.
  site.qos[0].limits = {};
  site.associations[1].limits = {{.name = "GrpTRESMins",
                                  .tres = "gres/gpu",
                                  .max = 1000,
                                  .used = 500,
                                  .reserved = 300}};
  CHECK(Longest(site, job) == "160 account site");
  site.qos[0].usage_factor = 2;
  CHECK(Longest(site, job) == "110 account site");
  site.qos[0].usage_factor = 0;
  CHECK(Longest(site, job) == "unlimited");
  site.qos[0].usage_factor = 1;
  site.associations[1].limits[0].used = 2000;
  CHECK(Longest(site, job) == "60 account site");
  site.associations[1].limits = {
      {.name = "GrpTRESRunMins", .tres = "cpu", .max = 400, .used = 300}};
  CHECK(Longest(site, job) == "85 account site");
  // 20 minutes of the job have passed, and are among those used.
  site.associations[1].limits = {{.name = "GrpWall", .max = 300, .used = 250}};
  CHECK(Longest(site, job) == "70 account site");
  // Without its TRES nothing is allowed beyond what it has.
  job.tres.reset();
  site.associations[1].limits = {
      {.name = "GrpTRESMins", .tres = "cpu", .max = 1000000, .used = 0}};
  CHECK(Longest(site, job) == "60 account site");
}

TEST_CASE("walltime limits: TRES as Slurm writes them", "[slurm]") {
  CHECK_FALSE(ParseTres(""));
  CHECK_FALSE(ParseTres("cpu"));
  CHECK_FALSE(ParseTres("cpu=x"));
  CHECK_FALSE(ParseTres("mem=1Z"));
  CHECK_FALSE(ParseTres("cpu=-1"));
  CHECK_FALSE(ParseTres("=1"));
  CHECK(
      ParseTres("cpu=2,mem=2000M,node=1,gres/gpu:h200=2") ==
      TresCounts{{"cpu", 2}, {"mem", 2000}, {"node", 1}, {"gres/gpu:h200", 2}});
  CHECK(ParseTres("mem=1.50G") == TresCounts{{"mem", 1536}});
  CHECK(ParseTres("mem=1T") == TresCounts{{"mem", 1048576}});
  CHECK(ParseTres("mem=512K") == TresCounts{{"mem", 1}});
  CHECK(ParseTres("billing=2K") == TresCounts{{"billing", 2048}});
}

}  // namespace
}  // namespace carme::backend
