// NCCL between nodes. Each node is a process with test doubles of libcuda and
// libnccl (fake_cuda.c, fake_nccl.c): no GPU and no network is measured.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "slurm-hooks/vet/cli/report.h"
#include "tests/slurm-hooks/vet/worker_processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;
using Variables = std::map<std::string, std::string>;

// An evaluation with the keys, and one after it.
std::string Config(const std::string& keys) {
  return "name: x\nevals:\n- {name: NCCL, type: nccl, payload: 64 KB, " + keys +
         "}\n- {name: Last, type: memory}\n";
}

// Where the doubles of a run meet.
class Nodes {
 public:
  // A worker on a node with GPUs; the variables are those of the doubles.
  Behaviour WithGpus(const Variables& variables = {}) const {
    return [this, variables](Channel channel, uint32_t rank) {
      const std::string name = absl::StrCat("n", rank + 1);
      setenv("FAKE_NCCL_DIR", directory_.path().c_str(), 1);
      setenv("FAKE_NCCL_NODE", name.c_str(), 1);
      for (const auto& [key, value] : variables) {
        setenv(key.c_str(), value.c_str(), 1);
      }
      // found by their names from now on
      if (dlopen(CARME_FAKE_CUDA, RTLD_NOW) == nullptr ||
          dlopen(CARME_FAKE_NCCL, RTLD_NOW) == nullptr) {
        _exit(1);
      }
      Honest(std::move(channel), rank);
    };
  }

  // The unique ids that were created.
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids = absl::StrSplit(
        ReadFile(directory_.File("ids")).value_or(""), '\n', absl::SkipEmpty());
    return ids;
  }

 private:
  TempDir directory_;
};

const node::v1::VetResult& ResultOf(const VetRun& run, size_t node) {
  return run.nodes[node].results[0];
}

const Link& LinkOf(const VetRun& run, size_t a, size_t b) {
  for (const Link& link : run.links) {
    if (link.a == a && link.b == b) return link;
  }
  FAIL("no link " << a << "–" << b);
  return run.links[0];
}

TEST_CASE("vet nccl: a pair that hangs is named by both ends, others pass",
          "[vet]") {
  const Nodes nodes;
  const VetRun run = RunWith(Config("topology: internode, timeout: 5 s"),
                             {nodes.WithGpus({{"FAKE_NCCL_HANG_WITH", "n2"}}),
                              nodes.WithGpus(), nodes.WithGpus()});
  INFO(TextReport(run, true));
  CHECK(run.rounds == 3);
  REQUIRE(run.links.size() == 3);
  CHECK(LinkOf(run, 0, 1).problem == "timed out after 5 s");
  for (const size_t node : {0, 1}) {
    CHECK(ResultOf(run, node).reason() == "link n1–n2: timed out after 5 s");
    CHECK_FALSE(run.nodes[node].is_healthy());
    CHECK(run.nodes[node].is_bad_by_links_alone);
    CHECK(LinkOf(run, node, 2).problem.empty());
    CHECK(LinkOf(run, node, 2).bandwidth > 0);
    CHECK(LinkOf(run, node, 2).latency_s > 0);
    // the worker is as well as before
    CHECK(run.nodes[node].results[1].status() == node::v1::VET_STATUS_PASSED);
  }
  CHECK(run.nodes[2].is_healthy());
  CHECK(run.Healthy() == std::vector<size_t>{0, 2});
}

TEST_CASE("vet nccl: of a slow node and its partners, only that node is bad",
          "[vet]") {
  const Nodes nodes;
  const VetRun run = RunWith(
      Config("topology: internode, min_bandwidth: 64 KB/s, warmup: {runs: 0}"),
      {nodes.WithGpus(), nodes.WithGpus({{"FAKE_NCCL_RATE", "40000"}}),
       nodes.WithGpus()});
  INFO(TextReport(run, true));
  CHECK(run.nodes[0].is_healthy());
  CHECK(run.nodes[2].is_healthy());
  CHECK_FALSE(run.nodes[1].is_healthy());
  CHECK_FALSE(run.nodes[1].is_bad_by_links_alone);
  CHECK(run.bad_links.empty());
  const std::string& reason = ResultOf(run, 1).reason();
  CHECK(absl::StartsWith(reason, "2 of 2 links are bad; link "));
  CHECK(absl::StrContains(reason, "by NCCL: expected more than 64 KiB/s"));
  CHECK(absl::StrContains(
      TextReport(run, false),
      "n2: failed \"NCCL\" (nccl): 2 of 2 links are bad; link n"));
}

TEST_CASE("vet nccl: a share of the median is a limit too", "[vet]") {
  const Nodes nodes;
  // The doubles' rates decide, not this machine.
  const Behaviour fast = nodes.WithGpus({{"FAKE_NCCL_RATE", "100000"}});
  const VetRun run = RunWith(
      Config("topology: internode, min_ratio: 0.5, warmup: {runs: 0}"),
      {fast, fast, nodes.WithGpus({{"FAKE_NCCL_RATE", "30000"}}), fast});
  INFO(TextReport(run, true));
  for (size_t node = 0; node < 4; ++node) {
    CHECK(run.nodes[node].is_healthy() == (node != 2));
  }
}

TEST_CASE("vet nccl: a failure that needs no partner is the node's own",
          "[vet]") {
  const std::pair<Variables, std::string> failures[] = {
      {{{"FAKE_CUDA_ERROR", "cuMemAlloc"}}, "cuMemAlloc failed: out of memory"},
      {{{"FAKE_NCCL_ERROR", "ncclGetUniqueId"}},
       "ncclGetUniqueId failed: unhandled system error"}};
  for (const auto& [variables, reason] : failures) {
    const Nodes nodes;
    const VetRun run = RunWith(
        Config("topology: internode"),
        {nodes.WithGpus(variables), nodes.WithGpus(), nodes.WithGpus()});
    INFO(TextReport(run, true));
    CHECK(ResultOf(run, 0).status() == node::v1::VET_STATUS_FAILED);
    CHECK(ResultOf(run, 0).reason() == reason);
    CHECK_FALSE(run.nodes[0].is_bad_by_links_alone);
    CHECK(run.nodes[1].is_healthy());
    CHECK(run.nodes[2].is_healthy());
    CHECK(LinkOf(run, 0, 1).skipped == "n1: " + reason);
    CHECK(LinkOf(run, 1, 2).bandwidth > 0);
  }
}

TEST_CASE("vet nccl: an end that fails is named, and the other one stopped",
          "[vet]") {
  const Nodes nodes;
  const absl::Time start = absl::Now();
  const VetRun run =
      RunWith(Config("topology: internode, timeout: 300 s"),
              {nodes.WithGpus(),
               nodes.WithGpus({{"FAKE_NCCL_ERROR", "ncclCommInitRank"}})});
  INFO(TextReport(run, true));
  CHECK(absl::Now() - start < absl::Seconds(150));
  CHECK(LinkOf(run, 0, 1).problem ==
        "n2: ncclCommInitRank failed: unhandled system error");
  for (const size_t node : {0, 1}) {
    CHECK(run.nodes[node].is_bad_by_links_alone);
    CHECK(run.nodes[node].results[1].status() == node::v1::VET_STATUS_PASSED);
  }
}

TEST_CASE("vet nccl: a wrong sum is named", "[vet]") {
  const Nodes nodes;
  const VetRun run = RunWith(Config("topology: internode"),
                             {nodes.WithGpus(), nodes.WithGpus(),
                              nodes.WithGpus({{"FAKE_NCCL_WRONG", "1"}})});
  INFO(TextReport(run, true));
  CHECK(run.nodes[0].is_healthy());
  CHECK(run.nodes[1].is_healthy());
  CHECK_FALSE(run.nodes[2].is_bad_by_links_alone);
  for (const size_t other : {0, 1}) {
    // the other end may have noticed that this one has ended
    CHECK(absl::EndsWith(LinkOf(run, other, 2).problem,
                         "n3: GPU 0: the sum of all GPUs is wrong"));
  }
}

TEST_CASE("vet nccl: a node that hangs with each is given up after three pairs",
          "[vet]") {
  const Nodes nodes;
  std::vector<Behaviour> behaviours(5, nodes.WithGpus());
  behaviours.push_back(nodes.WithGpus({{"FAKE_NCCL_HANG_WITH", "*"}}));
  const VetRun run =
      RunWith(Config("topology: internode, timeout: 3 s"), behaviours);
  INFO(TextReport(run, true));
  size_t hung = 0;
  size_t skipped = 0;
  for (const Link& link : run.links) {
    if (link.b != 5) continue;
    if (!link.problem.empty()) ++hung;
    if (link.skipped.empty()) continue;
    ++skipped;
    CHECK(link.skipped ==
          "n6: not measured any more: the first 3 pairs failed");
  }
  CHECK(run.links.size() == 15);
  CHECK(hung == 3);
  CHECK(skipped == 2);
  for (size_t node = 0; node < 5; ++node) CHECK(run.nodes[node].is_healthy());
  CHECK(absl::StartsWith(ResultOf(run, 5).reason(), "3 of 3 links are bad; "));
  CHECK_FALSE(run.nodes[5].is_bad_by_links_alone);
}

// Answers for a node, but with a unique id of five bytes.
void SendsShortId(Channel channel, uint32_t rank) {
  VetPacket packet;
  packet.mutable_hello()->set_rank(rank);
  (void)channel.Send(packet);
  while (true) {
    const auto received = channel.Await(absl::Seconds(30));
    if (!received.ok() || received->has_verdict()) return;
    VetPacket answer;
    if (received->has_run()) {
      for (const uint32_t evaluation : received->run().evaluations()) {
        node::v1::VetResult& result = *answer.mutable_result();
        result.set_evaluation(evaluation);
        result.set_status(node::v1::VET_STATUS_PASSED);
        (*result.mutable_metrics())["gpus"] = 1;
        (void)channel.Send(answer);
      }
    } else if (received->has_link_run()) {
      answer.mutable_nccl_id()->set_unique_id("short");
      (void)channel.Send(answer);
    } else if (received->has_link_stop()) {
      answer.mutable_result()->set_status(node::v1::VET_STATUS_FAILED);
      answer.mutable_result()->set_reason("stopped");
      (void)channel.Send(answer);
    }
  }
}

TEST_CASE("vet nccl: a unique id of another length is not passed on", "[vet]") {
  const Nodes nodes;
  const VetRun run =
      RunWith(Config("topology: internode"),
              {SendsShortId, nodes.WithGpus(), nodes.WithGpus()});
  INFO(TextReport(run, true));
  CHECK(LinkOf(run, 0, 1).problem == "n1: stopped");
  CHECK(LinkOf(run, 0, 2).problem == "n1: stopped");
  CHECK(run.nodes[1].is_healthy());
  CHECK(run.nodes[2].is_healthy());
}

TEST_CASE("vet nccl: a node without a GPU is skipped, unless required",
          "[vet]") {
  const Variables none = {{"FAKE_CUDA_GPUS", "0"}};
  const Nodes nodes;
  const VetRun run =
      RunWith(Config("topology: internode"),
              {nodes.WithGpus(), nodes.WithGpus(none), nodes.WithGpus()});
  INFO(TextReport(run, true));
  CHECK(ResultOf(run, 1).status() == node::v1::VET_STATUS_SKIPPED);
  CHECK(ResultOf(run, 1).reason() == "this node has no GPU");
  CHECK(run.Healthy().size() == 3);
  CHECK(LinkOf(run, 0, 2).bandwidth > 0);
  CHECK(absl::StrContains(
      JsonReport(run),
      "{\"link\":[\"n1\",\"n2\"],\"evaluation\":\"NCCL\",\"latency_s\":0,"
      "\"bytes_per_second\":0,\"problem\":\"\",\"skipped\":\"n2: this node has "
      "no GPU\"}\n"));
  const VetRun alone = RunWith(Config("topology: internode"),
                               {nodes.WithGpus(), nodes.WithGpus(none)});
  CHECK(ResultOf(alone, 0).status() == node::v1::VET_STATUS_SKIPPED);
  CHECK(ResultOf(alone, 0).reason() ==
        "needs two nodes with GPUs that can be measured");
  const VetRun required =
      RunWith(Config("topology: internode, required: true"),
              {nodes.WithGpus(), nodes.WithGpus(none), nodes.WithGpus()});
  CHECK(ResultOf(required, 1).status() == node::v1::VET_STATUS_FAILED);
  CHECK_FALSE(required.nodes[1].is_bad_by_links_alone);
  CHECK(required.Healthy() == std::vector<size_t>{0, 2});
}

// The standard error stream of this process and its workers goes to a file.
class ErrorsToFile {
 public:
  ErrorsToFile() : before_(dup(STDERR_FILENO)) {
    const int file = open(path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~ErrorsToFile() { End(); }
  std::string End() {
    if (before_ >= 0) dup2(before_, STDERR_FILENO);
    if (before_ >= 0) close(before_);
    before_ = -1;
    return ReadFile(path()).value_or("");
  }

 private:
  std::string path() const { return directory_.File("errors"); }

  TempDir directory_;
  int before_;
};

TEST_CASE("vet nccl: a unique id is in no output", "[vet]") {
  const Nodes nodes;
  ErrorsToFile errors;
  const VetRun run = RunWith(
      Config("topology: full, timeout: 5 s"),
      {nodes.WithGpus(), nodes.WithGpus({{"FAKE_NCCL_HANG_WITH", "n1"}}),
       nodes.WithGpus(
           {{"FAKE_NCCL_ERROR", "ncclAllReduce"}, {"FAKE_CUDA_GPUS", "1"}})});
  const std::string output =
      errors.End() + TextReport(run, true) + GridReport(run) + JsonReport(run);
  // one of each node, and one of each pair
  const std::vector<std::string> ids = nodes.Ids();
  CHECK(ids.size() == 6);
  for (const std::string& id : ids) {
    CHECK(id.size() == 64);
    CHECK_FALSE(absl::StrContains(output, id.substr(0, 16)));
  }
}

TEST_CASE("vet nccl: full measures within nodes and between them", "[vet]") {
  const Nodes nodes;
  const VetRun run = RunWith(Config("topology: full"),
                             {nodes.WithGpus({{"FAKE_CUDA_GPUS", "2"}}),
                              nodes.WithGpus({{"FAKE_CUDA_GPUS", "3"}}),
                              nodes.WithGpus({{"FAKE_CUDA_GPUS", "1"}})});
  INFO(TextReport(run, true));
  CHECK(run.Healthy().size() == 3);
  CHECK(run.links.size() == 3);
  for (size_t node = 0; node < 3; ++node) {
    const auto& metrics = ResultOf(run, node).metrics();
    CHECK(metrics.at("min_bytes_per_second") > 0);
    CHECK(metrics.at("max_latency_s") > 0);
    // one GPU is connected with those of other nodes only
    CHECK(metrics.contains("bus_bytes_per_second") == (node != 2));
  }
}

TEST_CASE("vet nccl: a node that fails within it is in no pair", "[vet]") {
  const Nodes nodes;
  const Variables two = {{"FAKE_CUDA_GPUS", "2"}};
  const VetRun run = RunWith(
      Config("topology: full"),
      {nodes.WithGpus(two), nodes.WithGpus(two),
       nodes.WithGpus({{"FAKE_CUDA_GPUS", "2"}, {"FAKE_NCCL_WRONG", "1"}})});
  INFO(TextReport(run, true));
  CHECK(ResultOf(run, 2).reason() == "GPU 0: the sum of all GPUs is wrong");
  CHECK_FALSE(run.nodes[2].is_bad_by_links_alone);
  CHECK(run.Healthy() == std::vector<size_t>{0, 1});
  CHECK(LinkOf(run, 0, 2).skipped == "n3: GPU 0: the sum of all GPUs is wrong");
}

TEST_CASE("vet nccl: broadcast is measured from each GPU of a pair of nodes",
          "[vet]") {
  const TempDir directory;
  const std::string log = directory.File("log");
  const Nodes nodes;
  const VetRun run = RunWith(
      Config("topology: internode, method: broadcast, warmup: {runs: 0}"),
      {nodes.WithGpus({{"FAKE_CUDA_GPUS", "2"}, {"FAKE_NCCL_LOG", log}}),
       nodes.WithGpus()});
  INFO(TextReport(run, true));
  CHECK(run.Healthy().size() == 2);
  CHECK(LinkOf(run, 0, 1).bandwidth > 0);
  // 64 KiB are 16,384 floats
  CHECK(ReadFile(log).value_or("") == "0 16384\n1 16384\n2 16384\n");
}

TEST_CASE("vet nccl: a broadcast that fails or arrives wrong is named",
          "[vet]") {
  const std::string keys = "topology: internode, method: broadcast";
  const Nodes nodes;
  const VetRun run =
      RunWith(Config(keys),
              {nodes.WithGpus(), nodes.WithGpus({{"FAKE_NCCL_WRONG", "1"}})});
  CHECK(absl::EndsWith(
      LinkOf(run, 0, 1).problem,
      "n2: GPU 0: what another GPU sent to all has arrived wrong"));
  const VetRun failed = RunWith(
      Config(keys), {nodes.WithGpus(),
                     nodes.WithGpus({{"FAKE_NCCL_ERROR", "ncclBroadcast"}})});
  CHECK(absl::StrContains(LinkOf(failed, 0, 1).problem,
                          "n2: ncclBroadcast failed: unhandled system error"));
}

TEST_CASE("vet nccl: max_rounds limits the pairs", "[vet]") {
  const Nodes nodes;
  const VetRun run = RunWith(Config("topology: internode, max_rounds: 1"),
                             std::vector<Behaviour>(4, nodes.WithGpus()));
  CHECK(run.rounds == 1);
  CHECK(run.links.size() == 2);
  CHECK(run.Healthy().size() == 4);
}

// carme-vet on one node with the doubles.
std::string VetOneNode(const std::string& keys, const std::string& variables) {
  const TempDir directory;
  REQUIRE_THAT(WriteFile(directory.File("v.yaml"), Config(keys), 0644), IsOk());
  const std::string line =
      "cd " + directory.path() +
      " && env -i PATH=$PATH LD_LIBRARY_PATH=" CARME_FAKE_GPU
      " FAKE_NCCL_DIR=. " +
      variables + " " CARME_VET " --verbose v.yaml >out 2>&1";
  [[maybe_unused]] const int status = system(line.c_str());
  return ReadFile(directory.File("out")).value_or("");
}

TEST_CASE("vet nccl: a node is measured within it as before", "[vet]") {
  const std::string two = "FAKE_CUDA_GPUS=2";
  CHECK(absl::StrContains(VetOneNode("method: gather", two),
                          "could not run: method \"gather\" is not supported"));
  CHECK(absl::StrContains(VetOneNode("min_bandwidth: 1 MB/s, warmup: {runs: 0}",
                                     two + " FAKE_NCCL_RATE=200000"),
                          "the bandwidth between GPU 0 and GPU 1 is "));
  CHECK(absl::StrContains(
      VetOneNode("method: roundrobin", "FAKE_CUDA_GPUS=3 FAKE_NCCL_WRONG=1"),
      "GPU 0: the sum of all GPUs is wrong"));
  CHECK(absl::StrContains(VetOneNode("optional: true", ""),
                          "NCCL needs two GPUs, this node has one"));
  CHECK(absl::StrContains(VetOneNode("topology: internode", two),
                          "skipped \"NCCL\" (nccl): needs two nodes"));
  CHECK(absl::StrContains(
      VetOneNode("method: broadcast, min_bandwidth: 1 MB/s, warmup: {runs: 0}",
                 "FAKE_CUDA_GPUS=3 FAKE_NCCL_RATE=200000"),
      "the bandwidth between the GPUs is "));
  for (const char* keys :
       {"topology: intranode", "topology: full", "method: broadcast"}) {
    CHECK(absl::StrContains(VetOneNode(keys, two), ": passed \"NCCL\" (nccl)"));
  }
}

}  // namespace
}  // namespace carme::vet
