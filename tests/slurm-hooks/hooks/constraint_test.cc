#include <catch2/catch.hpp>
#include <string>

#include "slurm-hooks/hooks/hook_job.h"

namespace carme::hooks {
namespace {

struct Row {
  const char* constraints;
  bool named;
};

TEST_CASE("constraint: matches the whole word only", "[slurm-hooks]") {
  const Row rows[] = {
      {"", false},
      {"carmen", false},
      {"xcarme", false},
      {"Carme", false},
      {"carme2*1", false},
      {"no-carme", false},
      {"carme-gpu&fast", false},
      {"*carme", false},
      {"fast&carmel|gpu", false},
  };
  for (const Row& row : rows) {
    INFO(row.constraints);
    CHECK(NamesFeature(row.constraints, "carme") == row.named);
  }
}

TEST_CASE("constraint: finds the feature anywhere", "[slurm-hooks]") {
  const Row rows[] = {
      {"carme", true},           {"carme&gpu", true},
      {"gpu&carme", true},       {"gpu|carme", true},
      {"carme*2", true},         {"[carme*2&gpu*1]", true},
      {"[gpu*1&carme*2]", true}, {"[gpu|carme]", true},
      {"(a|b)&carme", true},     {"a&[b|(c&carme)]", true},
      {"a,carme", true},
  };
  for (const Row& row : rows) {
    INFO(row.constraints);
    CHECK(NamesFeature(row.constraints, "carme") == row.named);
  }
}

TEST_CASE("constraint: an empty feature is never named", "[slurm-hooks]") {
  CHECK_FALSE(NamesFeature("", ""));
  CHECK_FALSE(NamesFeature("a&&b", ""));
}

}  // namespace
}  // namespace carme::hooks
