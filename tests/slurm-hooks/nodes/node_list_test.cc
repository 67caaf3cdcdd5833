#include "slurm-hooks/nodes/node_list.h"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace carme::node {
namespace {

using Names = std::vector<std::string>;

ReadVariable From(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt
                                    : std::optional(found->second);
  };
}

TEST_CASE("node list: refuses what is no list, or far too long", "[nodes]") {
  for (const char* list : {"", ",", "n[", "n[]", "n[2-1]", "n[1,]", "n 1",
                           "n1;reboot", "n[0-99999999]", "n]1"}) {
    INFO(list);
    CHECK_FALSE(ExpandNodeList(list).has_value());
  }
}

TEST_CASE("node list: is expanded in its order", "[nodes]") {
  CHECK(*ExpandNodeList("n1") == Names{"n1"});
  CHECK(*ExpandNodeList("n[1-3,07-08],login.a") ==
        Names{"n1", "n2", "n3", "n07", "n08", "login.a"});
  CHECK(*ExpandNodeList("r[1-2]n[1-2]-ib,x") ==
        Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib", "x"});
}

TEST_CASE("node counts: are expanded, or refused", "[nodes]") {
  CHECK(*ExpandCounts("2(x3),1") == std::vector<int>{2, 2, 2, 1});
  for (const char* counts : {"", "a", "2(x)", "2(x0)", "2(x3", "-1"}) {
    INFO(counts);
    CHECK_FALSE(ExpandCounts(counts).has_value());
  }
}

TEST_CASE("node list: variables describe the chosen nodes", "[nodes]") {
  const auto variables =
      VariablesOfPart(From({{"SLURM_JOB_CPUS_PER_NODE", "4(x2),8"},
                            {"SLURM_TASKS_PER_NODE", "1,2,3"},
                            {"SLURM_NTASKS", "6"}}),
                      {"n1", "n3"}, {0, 2});
  CHECK(variables.at("SLURM_JOB_NODELIST") == "n1,n3");
  CHECK(variables.at("SLURM_NNODES") == "2");
  CHECK(variables.at("SLURM_JOB_CPUS_PER_NODE") == "4,8");
  CHECK(variables.at("SLURM_TASKS_PER_NODE") == "1,3");
  CHECK(variables.at("SLURM_NTASKS") == "4");
  // values that do not fit the list are removed, not kept
  const auto wrong = VariablesOfPart(
      From({{"SLURM_TASKS_PER_NODE", "1"}, {"SLURM_NTASKS", "1"}}),
      {"n1", "n3"}, {0, 2});
  CHECK(wrong.at("SLURM_TASKS_PER_NODE").empty());
  CHECK(wrong.at("SLURM_NTASKS").empty());
}

TEST_CASE("node list: variables of a job that does not have these nodes stay",
          "[nodes]") {
  const std::vector<std::string> variables = {"SLURM_JOB_NODELIST=n[1-3]",
                                              "SLURM_NNODES=3", "HOME=/"};
  CHECK(VariablesWithNodes(variables, {}) == variables);
  CHECK(VariablesWithNodes(variables, {"n1", "n9"}) == variables);
  CHECK(VariablesWithNodes(variables, {"n1", "n2", "n3"}) == variables);
  CHECK(VariablesWithNodes({"HOME=/"}, {"n1"}) == Names{"HOME=/"});
}

TEST_CASE("node list: variables of a job that has returned nodes", "[nodes]") {
  const std::vector<std::string> variables = VariablesWithNodes(
      {"HOME=/home/ada", "SLURM_JOB_NODELIST=n[1-3]", "SLURM_NODELIST=n[1-3]",
       "SLURM_JOB_NUM_NODES=3", "SLURM_NNODES=3", "SLURM_NTASKS=3",
       "SLURM_TASKS_PER_NODE=1(x3)", "SLURM_JOB_CPUS_PER_NODE=4,8(x2)"},
      {"n1", "n3"});
  const std::map<std::string, std::string> expected = {
      {"HOME", "/home/ada"},           {"SLURM_JOB_NODELIST", "n1,n3"},
      {"SLURM_NODELIST", "n1,n3"},     {"SLURM_JOB_NUM_NODES", "2"},
      {"SLURM_NNODES", "2"},           {"SLURM_NTASKS", "2"},
      {"SLURM_TASKS_PER_NODE", "1,1"}, {"SLURM_JOB_CPUS_PER_NODE", "4,8"}};
  std::map<std::string, std::string> found;
  for (const std::string& entry : variables) {
    const size_t equals = entry.find('=');
    CHECK(found.emplace(entry.substr(0, equals), entry.substr(equals + 1))
              .second);
  }
  CHECK(found == expected);
}

}  // namespace
}  // namespace carme::node
