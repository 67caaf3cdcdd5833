#include "backend/policy/cluster/slurm_account.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/policy/policy.h"
#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

const Uid kAda{20001};

SlurmAccounting Accounting() {
  SlurmAccounting accounting;
  accounting.associations = {{.account = "site"},
                             {.account = "chem"},
                             {.account = "site",
                              .user = "ada",
                              .uid = kAda,
                              .is_default = true,
                              .qos = {"normal"}},
                             {.account = "chem",
                              .user = "ada",
                              .uid = kAda,
                              .partition = "long",
                              .qos = {"normal", "short"}}};
  accounting.qos = {{.name = "normal"}, {.name = "short"}, {.name = "vip"}};
  return accounting;
}

SlurmSnapshot Cluster(SlurmEnforcement enforcement = {
                          .associations = true, .limits = true, .qos = true}) {
  SlurmSnapshot cluster = SmallCluster();
  cluster.accounting = std::make_shared<const SlurmAccounting>(Accounting());
  cluster.enforcement = enforcement;
  return cluster;
}

std::string Refusal(const SlurmSnapshot& cluster, const std::string& account,
                    const JobSpec& spec, const std::string& user = "ada",
                    Uid uid = kAda) {
  const std::vector<Violation> violations = CheckSlurmAccount(
      cluster,
      {.username = user, .uid = uid, .account = account, .field = "project"},
      spec);
  if (violations.empty()) return "";
  CHECK(violations.size() == 1);
  return violations[0].field + ": " + violations[0].message.text;
}

TEST_CASE("slurm account: refuses what Slurm would refuse", "[policy]") {
  const SlurmSnapshot cluster = Cluster();
  CHECK(Refusal(cluster, "nixda", {}) ==
        "project: Slurm has no account \"nixda\": ask an administrator to "
        "change it");
  CHECK(Refusal(cluster, "site", {}, "bob", Uid(20002)) ==
        "project: you have no association with Slurm account \"site\": ask an "
        "administrator of the cluster for one");
  CHECK(Refusal(cluster, "", {}, "bob", Uid(20002)) ==
        "project: you have no association in Slurm: ask an administrator of "
        "the cluster for one");
  CHECK(Refusal(cluster, "chem", {.partition = "main"}) ==
        "project: you have no association with Slurm account \"chem\" for "
        "partition \"main\": ask an administrator of the cluster for one");
  CHECK(Refusal(cluster, "site", {.qos = "nixda"}) ==
        "qos: Slurm has no QOS \"nixda\": expected one of: \"normal\"");
  CHECK(Refusal(cluster, "", {.qos = "vip"}) ==
        "qos: QOS \"vip\" is not available to you in account \"site\": "
        "expected one of: \"normal\"");
  CHECK(Refusal(cluster, "", {.qos = "short"}).starts_with("qos: QOS"));
}

TEST_CASE("slurm account: accepts what Slurm accepts or decides itself",
          "[policy]") {
  CHECK(Refusal(Cluster(), "", {.qos = "normal"}).empty());
  CHECK(Refusal(Cluster(), "chem", {.partition = "long", .qos = "short"})
            .empty());
  // Without enforcement Slurm takes any.
  CHECK(Refusal(Cluster({}), "nixda", {.qos = "nixda"}).empty());
  CHECK(Refusal(SmallCluster(), "nixda", {.qos = "nixda"}).empty());
  // What is missing may be hidden.
  SlurmSnapshot hidden = Cluster();
  hidden.enforcement.hides_associations = true;
  CHECK(Refusal(hidden, "site", {.qos = "vip"}, "bob", Uid(20002)).empty());
  CHECK(Refusal(hidden, "nixda", {}).empty());
  SlurmSnapshot empty = Cluster();
  empty.accounting = std::make_shared<const SlurmAccounting>();
  CHECK(Refusal(empty, "nixda", {.qos = "nixda"}).empty());
}

TEST_CASE("slurm account: a decision names its reasons", "[policy]") {
  SlurmSnapshot cluster = Cluster();
  std::vector<App> apps(1);
  apps[0].id = "app";
  std::vector<Image> images(1);
  images[0].id = "none";
  PolicyInput input{.username = "ada",
                    .uid = kAda,
                    .apps = &apps,
                    .images = &images,
                    .cluster = &cluster};
  Decision decision = Check(input);
  CHECK(decision.violations.empty());
  CHECK_FALSE(decision.rests_on_resources);
  CHECK_FALSE(decision.rests_on_accounting);
  input.account = "nixda";
  decision = Check(input);
  CHECK(decision.rests_on_accounting);
  CHECK_FALSE(decision.rests_on_resources);
  input.account.clear();
  const auto state_of = [&](v1::PartitionState state) {
    cluster.partitions[0].up = false;
    cluster.partitions[0].state = state;
    const Decision refused = Check(input);
    REQUIRE(refused.violations.size() == 1);
    CHECK(refused.rests_on_resources);
    CHECK(refused.violations[0].field == "partition");
    return refused.violations[0].value + ": " +
           refused.violations[0].message.text;
  };
  CHECK(state_of(v1::PARTITION_STATE_DOWN) ==
        "down: partition \"main\" is down: expected one that is up");
  CHECK(state_of(v1::PARTITION_STATE_DRAIN) ==
        "drain: partition \"main\" is drained, it accepts no new jobs: "
        "expected one that is up");
  CHECK(state_of(v1::PARTITION_STATE_INACTIVE) ==
        "inactive: partition \"main\" is inactive, it accepts no jobs and "
        "starts none: expected one that is up");
}

}  // namespace
}  // namespace carme::backend
