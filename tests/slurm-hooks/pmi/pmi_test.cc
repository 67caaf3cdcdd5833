#include "slurm-hooks/pmi/pmi.h"

#include <catch2/catch.hpp>
#include <map>

namespace carme {
namespace {

std::optional<std::string> WarningFor(
    std::map<std::string, std::string> values) {
  return MpiWarning([&](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  });
}

TEST_CASE("MPI warning: several tasks without a PMI server", "[nodes]") {
  const auto warning =
      WarningFor({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}});
  REQUIRE(warning.has_value());
  CHECK_THAT(*warning, Catch::Contains("4 programs of one rank") &&
                           Catch::Contains("--mpi=pmix"));
}

TEST_CASE("MPI warning: none with a server, for one task, or if suppressed",
          "[nodes]") {
  const std::map<std::string, std::string> step = {
      {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}};
  for (const std::pair<const std::string, std::string>& other :
       std::map<std::string, std::string>{{"PMIX_RANK", "0"},
                                          {"PMI_FD", "11"},
                                          {"PMI_RANK", "0"},
                                          {"CARME_MPI_WARNING", "off"}}) {
    INFO(other.first);
    auto values = step;
    values.insert(other);
    CHECK_FALSE(WarningFor(values).has_value());
  }
  CHECK_FALSE(
      WarningFor({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}));
  CHECK_FALSE(
      WarningFor({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "3"}}));
  CHECK_FALSE(WarningFor({}));
}

}  // namespace
}  // namespace carme
