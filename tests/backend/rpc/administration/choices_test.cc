#include "backend/rpc/administration/choices.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

using Names = std::vector<std::string>;

Names ValuesOf(const ChoiceList& list) {
  Names values;
  for (const ChoiceName& name : list.names) values.push_back(name.value);
  return values;
}

SlurmSnapshot Cluster() {
  SlurmSnapshot cluster;
  cluster.asked_at = absl::FromUnixSeconds(1'800'000'000);
  cluster.partitions.resize(2);
  cluster.partitions[0].name = "main";
  cluster.partitions[1].name = "fast";
  cluster.reservations.resize(1);
  cluster.reservations[0].name = "course";
  cluster.nodes.resize(2);
  cluster.nodes[0].has_feature = true;
  cluster.nodes[0].gpus = {{"a100", 4}};
  cluster.nodes[1].gpus = {{"v100", 4}};
  SlurmAccounting accounting;
  accounting.associations = {{.account = "chem"},
                             {.account = "chem", .user = "ada"},
                             {.account = "bio"}};
  accounting.qos = {{.name = "short"}, {.name = "normal"}};
  cluster.accounting = std::make_shared<const SlurmAccounting>(accounting);
  return cluster;
}

TEST_CASE("choices: nothing is complete before Slurm has responded",
          "[backend]") {
  for (int kind = 1; kind <= v1::ChoiceKind_MAX; ++kind) {
    const ChoiceList list =
        ChoicesOfSlurm({}, static_cast<v1::ChoiceKind>(kind));
    INFO(kind);
    CHECK(list.names.empty());
    CHECK_FALSE(list.complete);
  }
}

TEST_CASE("choices: what Slurm hides is not complete", "[backend]") {
  SlurmSnapshot cluster = Cluster();
  cluster.enforcement.hides_associations = true;
  cluster.reservations_hidden = true;
  const ChoiceList accounts = ChoicesOfSlurm(cluster, v1::CHOICE_KIND_ACCOUNT);
  CHECK(ValuesOf(accounts) == Names{"bio", "chem"});
  CHECK_FALSE(accounts.complete);
  CHECK_FALSE(ChoicesOfSlurm(cluster, v1::CHOICE_KIND_RESERVATION).complete);
  cluster.accounting = std::make_shared<const SlurmAccounting>();
  CHECK_FALSE(ChoicesOfSlurm(cluster, v1::CHOICE_KIND_ACCOUNT).complete);
  CHECK_FALSE(ChoicesOfSlurm(cluster, v1::CHOICE_KIND_QOS).complete);
}

TEST_CASE("choices: the names of Slurm, sorted and once each", "[backend]") {
  const SlurmSnapshot cluster = Cluster();
  const auto values = [&](v1::ChoiceKind kind) {
    const ChoiceList list = ChoicesOfSlurm(cluster, kind);
    CHECK(list.complete);
    return ValuesOf(list);
  };
  CHECK(values(v1::CHOICE_KIND_PARTITION) == Names{"fast", "main"});
  CHECK(values(v1::CHOICE_KIND_ACCOUNT) == Names{"bio", "chem"});
  CHECK(values(v1::CHOICE_KIND_QOS) == Names{"normal", "short"});
  CHECK(values(v1::CHOICE_KIND_RESERVATION) == Names{"course"});
  // Without nodes that lack Carme's feature.
  CHECK(values(v1::CHOICE_KIND_GPU_TYPE) == Names{"a100"});
}

TEST_CASE("choices: a text matches any part, and the exact name is first",
          "[backend]") {
  const ChoiceList all{
      .names = {{"a", "Chemistry"}, {"bach", ""}, {"ch", ""}, {"x", ""}},
      .complete = true};
  CHECK(ValuesOf(Matching(all, "nothing", 10)).empty());
  CHECK(ValuesOf(Matching(all, "CH", 10)) == Names{"ch", "a", "bach"});
  CHECK_FALSE(Matching(all, "CH", 3).more);
  const ChoiceList two = Matching(all, "", 2);
  CHECK(ValuesOf(two) == Names{"a", "bach"});
  CHECK(two.more);
  CHECK(two.complete);
}

}  // namespace
}  // namespace carme::backend
