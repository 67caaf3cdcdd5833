// Which tasks an array has: Slurm's form of indices, and sets of them. Pure.
#ifndef CARME_BACKEND_POLICY_SPEC_ARRAY_H_
#define CARME_BACKEND_POLICY_SPEC_ARRAY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::backend {

// A set of indices, kept as ranges: to look for one takes as many steps as the
// logarithm of their number, to join two sets as many as both have.
class TaskSet {
 public:
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;  // it is in the set, too
    friend bool operator==(const Range&, const Range&) = default;
  };

  // "0-3,7,10-20:5". INVALID_ARGUMENT.
  static absl::StatusOr<TaskSet> Parse(std::string_view text);

  void Add(uint32_t index) { Add(Range{index, index}); }
  void Add(Range range);
  void Add(const TaskSet& other);
  bool Contains(uint32_t index) const;
  // What is in this set and not in the other; in both.
  TaskSet Without(const TaskSet& other) const;
  TaskSet And(const TaskSet& other) const { return Without(Without(other)); }
  int64_t size() const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }
  std::string ToString() const;  // "0-3,7"; empty: ""

  friend bool operator==(const TaskSet&, const TaskSet&) = default;

 private:
  std::vector<Range> ranges_;  // in order, and none touches another
};

struct ArrayShape {
  TaskSet tasks{};
  int at_once = 0;  // at most so many run together; 0: all
};

// "0-9", "1,3,5", "0-99:2", each with "%4" after it for at most 4 at once.
// INVALID_ARGUMENT, found then expected: another form, an index twice, an index
// beyond Slurm's, or more than 100,000 tasks.
absl::StatusOr<ArrayShape> ParseArray(std::string_view text);

// How many tasks an array has, and how many of them run together at most; 1 of
// what is no array.
int64_t TaskCount(std::string_view array);
int64_t MostAtOnce(std::string_view array);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_ARRAY_H_
