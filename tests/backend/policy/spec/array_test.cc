#include "backend/policy/spec/array.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

std::string Wrong(const std::string& text) {
  const auto shape = ParseArray(text);
  return shape.ok() ? "taken" : std::string(shape.status().message());
}

TEST_CASE("array: refuses ambiguous expressions", "[policy]") {
  for (const char* text :
       {"",        "x",       "-1",          "1-",          "-",       "1,,2",
        ",1",      "1,",      "3-1",         "1-9:0",       "1-9:",    "5:2",
        "1-9:2:2", "0-9%",    "0-9%0",       "0-9%-1",      "0-9%2%2", " 1",
        "1 ",      "+1",      "0x1",         "[0-3]",       "1-2-3",   "%4",
        "0-9%4,5", "4000001", "99999999999", "0-4294967295"}) {
    INFO(text);
    CHECK(Wrong(text).find("is not a valid list of indices: expected") == 0);
  }
}

TEST_CASE("array: refuses an index twice, and more tasks than are sensible",
          "[policy]") {
  for (const char* text : {"1,1", "0-3,3", "5,0-9", "0-8:2,4"}) {
    INFO(text);
    CHECK(Wrong(text) == "contains an index twice");
  }
  CHECK(Wrong("0-100000") == "has more than 100000 tasks");
  CHECK(Wrong("0-4000000:2") == "has more than 100000 tasks");
  CHECK(Wrong(std::string(257, '1')) ==
        "has 257 characters: expected at most 256");
}

TEST_CASE("array: accepts lists, ranges, steps and a maximum of tasks",
          "[policy]") {
  struct Row {
    const char* text;
    const char* tasks;
    int64_t count;
    int64_t at_once;
  };
  for (const Row& row :
       {Row{"0", "0", 1, 1}, Row{"0-9", "0-9", 10, 10},
        Row{"1,3,5", "1,3,5", 3, 3}, Row{"5,3,4", "3-5", 3, 3},
        Row{"0-9:3", "0,3,6,9", 4, 4}, Row{"0-9%4", "0-9", 10, 4},
        Row{"0-9:2%4", "0,2,4,6,8", 5, 4}, Row{"7%9", "7", 1, 1},
        Row{"0-99999", "0-99999", 100000, 100000},
        Row{"4000000", "4000000", 1, 1}}) {
    INFO(row.text);
    const auto shape = ParseArray(row.text);
    REQUIRE_THAT(shape, IsOk());
    CHECK(shape->tasks.ToString() == row.tasks);
    CHECK(TaskCount(row.text) == row.count);
    CHECK(MaxAtOnce(row.text) == row.at_once);
  }
  CHECK(TaskCount("") == 1);
  CHECK(MaxAtOnce("") == 1);
}

// The same as with a set of numbers, whatever is done in whatever order.
TEST_CASE("task set: is a set", "[policy]") {
  std::mt19937 random(7);
  const auto number = [&](uint32_t below) {
    return std::uniform_int_distribution<uint32_t>(0, below - 1)(random);
  };
  for (int round = 0; round < 300; ++round) {
    TaskSet sets[2];
    std::set<uint32_t> models[2];
    for (int step = 0; step < 12; ++step) {
      const uint32_t which = number(2), first = number(40);
      const uint32_t last = first + number(6);
      sets[which].Add(TaskSet::Range{first, last});
      for (uint32_t i = first; i <= last; ++i) models[which].insert(i);
    }
    const TaskSet without = sets[0].Without(sets[1]);
    const TaskSet both = sets[0].And(sets[1]);
    TaskSet either = sets[0];
    either.Add(sets[1]);
    for (uint32_t i = 0; i < 50; ++i) {
      const bool in0 = models[0].contains(i), in1 = models[1].contains(i);
      REQUIRE(sets[0].Contains(i) == in0);
      REQUIRE(without.Contains(i) == (in0 && !in1));
      REQUIRE(both.Contains(i) == (in0 && in1));
      REQUIRE(either.Contains(i) == (in0 || in1));
    }
    REQUIRE(sets[0].size() == static_cast<int64_t>(models[0].size()));
    REQUIRE(TaskSet::Parse(sets[0].ToString()).value() == sets[0]);
    // In order, and none touches another.
    for (const TaskSet& set : {sets[0], without, both, either}) {
      const auto& ranges = set.ranges();
      for (size_t i = 1; i < ranges.size(); ++i) {
        REQUIRE(ranges[i - 1].last + 1 < ranges[i].first);
      }
    }
    either.Add(either);
    REQUIRE(either.Without(sets[0]) == sets[1].Without(sets[0]));
  }
}

TEST_CASE("task set: of the largest array, in pieces, is a set", "[policy]") {
  TaskSet even = TaskSet::Parse("0-199998:2").value();
  const TaskSet third = TaskSet::Parse("0-199998:3").value();
  const TaskSet odd = TaskSet::Parse("1-199999:2").value();
  CHECK(even.And(third).size() == 33334);
  CHECK(even.Without(third).size() == 66666);
  CHECK(even.And(odd).empty());
  even.Add(third);
  CHECK(even.size() == 133333);
  even.Add(odd);
  CHECK(even.ToString() == "0-199999");
}

}  // namespace
}  // namespace carme::backend
