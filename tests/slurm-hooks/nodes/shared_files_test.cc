#include "slurm-hooks/nodes/shared_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::node {
namespace {

v1::NodeList TwoNodes() {
  v1::NodeList list;
  list.set_master_port(40000);
  for (const char* name : {"n1", "n2"}) {
    v1::JobNode& node = *list.add_nodes();
    node.set_rank(static_cast<uint32_t>(list.nodes_size()) - 1);
    node.set_name(name);
    node.set_address("10.0.0." + std::to_string(list.nodes_size()));
    node.set_cpus(4);
    node.set_gpus(2);
    node.set_gpu_list("0,1");
  }
  return list;
}

std::string ShellSays(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  std::array<char, 4096> buffer;
  const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
  return std::string(buffer.data(), got);
}

TEST_CASE("shared files: names that a shell or ssh would read are refused",
          "[nodes]") {
  for (const char* name :
       {"", "-oProxyCommand=x", "n1 n2", "n1\nHost *", "$(id)", "n1;id"}) {
    v1::NodeList list = TwoNodes();
    list.mutable_nodes(1)->set_name(name);
    INFO(name);
    CHECK(absl::IsInvalidArgument(CheckNodeList(list)));
  }
  v1::NodeList list = TwoNodes();
  list.mutable_nodes(0)->set_address("10.0.0.1\n  ProxyCommand id");
  CHECK(absl::IsInvalidArgument(CheckNodeList(list)));
  list = TwoNodes();
  list.mutable_nodes(1)->set_rank(0);
  CHECK(absl::IsInvalidArgument(CheckNodeList(list)));
  CHECK(absl::IsInvalidArgument(CheckNodeList({})));
}

TEST_CASE("shared files: a link in the file's place is not followed",
          "[nodes]") {
  const TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("mine"), "before", 0600), IsOk());
  REQUIRE(symlink(dir.File("mine").c_str(), dir.File("env").c_str()) == 0);
  CHECK_FALSE(WriteInPlace(dir.File("env"), "after").ok());
  CHECK(*ReadFile(dir.File("mine")) == "before");
}

TEST_CASE("shared files: a rewritten file is the same file", "[nodes]") {
  const TempDir dir;
  struct stat first {
  }, second{};
  REQUIRE_THAT(WriteInPlace(dir.File("env"), "a longer text"), IsOk());
  REQUIRE(stat(dir.File("env").c_str(), &first) == 0);
  REQUIRE_THAT(WriteInPlace(dir.File("env"), "short"), IsOk());
  REQUIRE(stat(dir.File("env").c_str(), &second) == 0);
  CHECK(first.st_ino == second.st_ino);
  CHECK((second.st_mode & 07777) == 0600);
  CHECK(*ReadFile(dir.File("env")) == "short");
}

TEST_CASE("shared files: a shell gets every value as it is", "[nodes]") {
  const TempDir dir;
  const std::string hard = "a'b \"$HOME\" `id`\\n";
  REQUIRE_THAT(
      WriteInPlace(dir.File("env"),
                   EnvFileText({{"HARD", hard}, {"no-name", "x"}}, "/p q")),
      IsOk());
  CHECK(ShellSays("PATH=/bin; . " + dir.File("env") + "; . " + dir.File("env") +
                  "; printf '%s|%s' \"$HARD\" \"$PATH\"") ==
        hard + "|/p q:/bin");
}

TEST_CASE("shared files: each node has its rank, all have the first's address",
          "[nodes]") {
  const v1::NodeList list = TwoNodes();
  REQUIRE_THAT(CheckNodeList(list), IsOk());
  const Variables there = NodeVariables(list, 1, "/run/7");
  CHECK(there.at("NODE_RANK") == "1");
  CHECK(there.at("NNODES") == "2");
  CHECK(there.at("MASTER_ADDR") == "10.0.0.1");
  CHECK(there.at("MASTER_PORT") == "40000");
  CHECK(there.at("CARME_GPUS") == "n1:0,1 n2:0,1");
  CHECK(HostfileText(list) == "n1 slots=4\nn2 slots=4\n");
  CHECK(MachinefileText(list) == "n1\nn1\nn2\nn2\n");
}

TEST_CASE(
    "shared files: variables have the node's devices and the job's numbers",
    "[nodes]") {
  const std::vector<std::string> first = {
      "SLURM_JOB_ID=7",         "SLURM_NNODES=2", "SLURMD_NODENAME=n1",
      "CUDA_VISIBLE_DEVICES=0", "HOME=/h",        "SLURM_PROCID=0"};
  const std::vector<std::string> there = VariablesOnNode(
      JobWideVariables(first),
      {"SLURM_NNODES=1", "SLURMD_NODENAME=n2", "CUDA_VISIBLE_DEVICES=1",
       "SLURM_STEP_GPUS=3", "SLURM_STEP_ID=0", "SLURM_PROCID=5", "HOME=/h"},
      1);
  const auto has = [&](const char* entry) {
    return std::count(there.begin(), there.end(), entry) == 1;
  };
  for (const char* entry : {"SLURM_JOB_ID=7", "SLURM_NNODES=2",
                            "SLURMD_NODENAME=n2", "CUDA_VISIBLE_DEVICES=1",
                            "SLURM_JOB_GPUS=3", "SLURM_NODEID=1", "HOME=/h"}) {
    INFO(entry);
    CHECK(has(entry));
  }
  CHECK(there.size() == 7);
}

}  // namespace
}  // namespace carme::node
