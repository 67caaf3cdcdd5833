#include "slurm-hooks/nodes/linked_jobs.h"

#include <catch2/catch.hpp>

#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"
#include "slurm-hooks/nodes/ssh_key.h"
#include "tests/support/status_matchers.h"

namespace carme::node {
namespace {

OwnNodes Nodes(const std::string& job, const std::vector<std::string>& names) {
  OwnNodes own{.job = job, .nodes = {}, .master_port = 40000};
  for (const std::string& name : names) {
    v1::JobNode node;
    node.set_rank(static_cast<uint32_t>(own.nodes.size()));
    node.set_name(name);
    node.set_address("10.0.0." + name.substr(1));
    node.set_cpus(2);
    node.set_gpus(1);
    node.set_gpu_list("1");
    node.set_ssh_port(40022);
    own.nodes.push_back(std::move(node));
  }
  return own;
}

// The job "a" on n1 and n2, joined by "b" on n3, each with keys of its own.
struct Two {
  Two() {
    *linked.add_jobs() = BuildLinkedJob(a, keys_a);
    *linked.add_jobs() = BuildLinkedJob(b, keys_b);
    linked.mutable_jobs(1)->set_master_port(50000);
  }
  OwnNodes a = Nodes("a", {"n1", "n2"});
  OwnNodes b = Nodes("b", {"n3"});
  v1::SshKeys keys_a = NewSshKeys("carme-a").value();
  v1::SshKeys keys_b = NewSshKeys("carme-b").value();
  carme::v1::LinkedJobs linked;
};

TEST_CASE("linked jobs: refuses a list without this job", "[nodes]") {
  const Two two;
  CHECK(absl::IsInvalidArgument(
      BuildNodeList(two.linked, Nodes("c", {"n4"})).status()));
  CHECK(absl::IsInvalidArgument(BuildNodeList({}, two.a).status()));
}

TEST_CASE("linked jobs: refuses a duplicate node", "[nodes]") {
  Two two;
  two.linked.mutable_jobs(1)->mutable_nodes(0)->set_name("n2");
  CHECK(absl::IsInvalidArgument(BuildNodeList(two.linked, two.a).status()));
}

TEST_CASE("linked jobs: refuses another job without a key", "[nodes]") {
  Two two;
  two.linked.mutable_jobs(1)->clear_host_key();
  CHECK(absl::IsInvalidArgument(BuildNodeList(two.linked, two.a).status()));
}

TEST_CASE("linked jobs: refuses a key with extra text", "[nodes]") {
  Two two;
  const std::string good = two.keys_b.user_public();
  REQUIRE(IsPublicLine(good));
  for (const std::string& bad :
       {std::string(), "command=\"id\" " + good, good + "\n" + good,
        good + "\n", std::string("ssh-ed25519 AAAA"), "ssh-rsa" + good,
        "@cert-authority * " + good, good + " \"", "ssh-ed25519  " + good}) {
    INFO(bad);
    CHECK_FALSE(IsPublicLine(bad));
    two.linked.mutable_jobs(1)->set_user_key(bad);
    CHECK_FALSE(CheckNodeList(*BuildNodeList(two.linked, two.a)).ok());
  }
}

TEST_CASE("linked jobs: ranks continue, and all jobs have the same list",
          "[nodes]") {
  const Two two;
  const v1::NodeList of_a = BuildNodeList(two.linked, two.a).value();
  const v1::NodeList of_b = BuildNodeList(two.linked, two.b).value();
  REQUIRE_THAT(CheckNodeList(of_a), IsOk());
  REQUIRE_THAT(CheckNodeList(of_b), IsOk());
  CHECK(HostfileText(of_a) == "n1 slots=2\nn2 slots=2\nn3 slots=2\n");
  CHECK(HostfileText(of_b) == HostfileText(of_a));
  CHECK(of_b.master_port() == 40000);
  CHECK(OwnNodeNames(of_a) == std::vector<std::string>{"n1", "n2"});
  CHECK(RankOfOwnNode(of_a, "n2").value() == 1);
  CHECK(RankOfOwnNode(of_b, "n3").value() == 2);
  CHECK_FALSE(RankOfOwnNode(of_b, "n2").ok());
  Variables seen = NodeVariables(of_b, 2, "/run/7");
  CHECK(seen["NNODES"] == "3");
  CHECK(seen["NODE_RANK"] == "2");
  CHECK(seen["MASTER_ADDR"] == "10.0.0.1");
  CHECK(seen["CARME_NODES"] == "n1 n2 n3");
  CHECK(seen["CARME_OWN_NODES"] == "n3");
  CHECK(seen["CARME_GPUS"] == "n1:1 n2:1 n3:1");
}

TEST_CASE("linked jobs: ranks follow names after a job has returned a node",
          "[nodes]") {
  Two two;
  two.a.nodes.erase(two.a.nodes.begin() + 1);
  const v1::NodeList of_a = BuildNodeList(two.linked, two.a).value();
  REQUIRE_THAT(CheckNodeList(of_a), IsOk());
  CHECK(HostfileText(of_a) == "n1 slots=2\nn3 slots=2\n");
  CHECK_THAT(RankOfOwnNode(of_a, "n2"),
             StatusIs(absl::StatusCode::kInvalidArgument, "n2"));
  two.linked.mutable_jobs(0)->mutable_nodes()->RemoveLast();
  const v1::NodeList of_b = BuildNodeList(two.linked, two.b).value();
  CHECK(RankOfOwnNode(of_b, "n3").value() == 1);
}

TEST_CASE("linked jobs: each job accepts both user keys and all host keys",
          "[nodes]") {
  const Two two;
  const v1::NodeList list = BuildNodeList(two.linked, two.a).value();
  CHECK(AuthorizedKeysText(list, two.keys_a) ==
        two.keys_a.user_public() + "\n" + two.keys_b.user_public() + "\n");
  CHECK(KnownHostsText(list, two.keys_a) ==
        "carme-job " + two.keys_a.host_public() + "\ncarme-node-2 " +
            two.keys_b.host_public() + "\n");
  const std::string hosts = SshHostsText(list, "/run/7", "ada");
  CHECK(hosts.find("Host n2 10.0.0.2\n") < hosts.find("carme-node-2"));
  CHECK(hosts.find("Host n3 10.0.0.3\n") < hosts.find("carme-node-2"));
  // Once it has left, its key opens nothing.
  CHECK(AuthorizedKeysText(BuildOwnNodeList(two.a), two.keys_a) ==
        two.keys_a.user_public() + "\n");
}

}  // namespace
}  // namespace carme::node
