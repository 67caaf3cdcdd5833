#include "slurm-hooks/vet/cli/slurm_job.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

using Names = std::vector<std::string>;
using absl::StatusCode;

ReadVariable From(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt
                                    : std::optional(found->second);
  };
}

TEST_CASE("vet node list: refuses what is no list, or far too long", "[vet]") {
  for (const char* list :
       {"", ",", "n[", "n[]", "n[2-1]", "n[1-x]", "n[1,]", "n 1", "n1;reboot",
        "n[0-99999999]", "n]1", "n[1-999][1-999]", "n[1234567890]"}) {
    INFO(list);
    CHECK_THAT(ExpandNodeList(list),
               StatusIs(StatusCode::kInvalidArgument, "no list of nodes"));
  }
}

TEST_CASE("vet node list: is expanded in its order", "[vet]") {
  CHECK(*ExpandNodeList("n1") == Names{"n1"});
  CHECK(*ExpandNodeList("n[1-3,07-08],login.a") ==
        Names{"n1", "n2", "n3", "n07", "n08", "login.a"});
  CHECK(*ExpandNodeList("r[1-2]n[1-2]-ib,x") ==
        Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib", "x"});
}

TEST_CASE("vet step: a rank outside of the list is refused", "[vet]") {
  std::map<std::string, std::string> step = {{"SLURM_JOB_ID", "7"},
                                             {"SLURM_STEP_ID", "0"},
                                             {"SLURM_STEP_NODELIST", "n[1-2]"},
                                             {"SLURM_NODEID", "2"},
                                             {"SLURM_LOCALID", "0"}};
  CHECK_THAT(ReadSlurmStep(From(step)),
             StatusIs(StatusCode::kFailedPrecondition, "SLURM_NODEID"));
  step["SLURM_NODEID"] = std::string("1");
  const auto read = ReadSlurmStep(From(step));
  REQUIRE_THAT(read, IsOk());
  REQUIRE(read->has_value());
  CHECK((*read)->run == "7.0");
  CHECK((*read)->rank == 1);
  CHECK((*read)->is_first_task);
  step.erase("SLURM_STEP_NODELIST");  // a batch script
  CHECK_FALSE(ReadSlurmStep(From(step))->has_value());
}

}  // namespace
}  // namespace carme::vet
