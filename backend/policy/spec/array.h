// The tasks of an array: Slurm's syntax for indices, and sets of them. Pure.
#ifndef CARME_BACKEND_POLICY_SPEC_ARRAY_H_
#define CARME_BACKEND_POLICY_SPEC_ARRAY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::backend {

// A set of indices, stored as ranges: a look-up takes logarithmic time, a union
// linear time in the number of ranges.
class TaskSet {
 public:
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;  // inclusive
    friend bool operator==(const Range&, const Range&) = default;
  };

  // "0-3,7,10-20:5". INVALID_ARGUMENT.
  static absl::StatusOr<TaskSet> Parse(std::string_view text);

  void Add(uint32_t index) { Add(Range{index, index}); }
  void Add(Range range);
  void Add(const TaskSet& other);
  bool Contains(uint32_t index) const;
  // The difference of two sets; the intersection.
  TaskSet Without(const TaskSet& other) const;
  TaskSet And(const TaskSet& other) const { return Without(Without(other)); }
  int64_t size() const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }
  std::string ToString() const;  // "0-3,7"; empty: ""

  friend bool operator==(const TaskSet&, const TaskSet&) = default;

 private:
  std::vector<Range> ranges_;  // sorted and not adjacent
};

struct ArrayShape {
  TaskSet tasks{};
  int at_once = 0;  // maximum number of running tasks; 0: all
};

// "0-9", "1,3,5", "0-99:2", optionally followed by "%4" for at most 4 running
// tasks. INVALID_ARGUMENT: invalid syntax, a duplicate index, an index above
// Slurm's maximum, or more than 100,000 tasks.
absl::StatusOr<ArrayShape> ParseArray(std::string_view text);

// The number of tasks, and of tasks that may run at once; 1 if the text is
// empty.
int64_t TaskCount(std::string_view array);
int64_t MaxAtOnce(std::string_view array);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_ARRAY_H_
