#include "backend/policy/spec/array.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/policy/spec/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr uint32_t kMaxIndex = 4'000'000;  // Slurm's own bound
constexpr int64_t kMaxTasks = 100'000;
constexpr size_t kLongestText = 256;

std::optional<uint32_t> Number(std::string_view text) {
  uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  if (value > kMaxIndex) return std::nullopt;
  return value;
}

// Removes and returns the text before `mark`, or all of it without `mark`.
std::string_view TakeUntil(char mark, std::string_view* text) {
  const size_t place = std::min(text->find(mark), text->size());
  const std::string_view taken = text->substr(0, place);
  text->remove_prefix(std::min(place + 1, text->size()));
  return taken;
}

struct Item {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t step = 1;
  int64_t size() const { return (int64_t{last} - first) / step + 1; }
};

// "7", "0-3" or "10-20:5".
std::optional<Item> ItemOf(std::string_view text) {
  const bool has_step = text.find(':') != std::string_view::npos;
  const bool is_range = text.find('-') != std::string_view::npos;
  std::string_view span = TakeUntil(':', &text);
  const auto first = Number(TakeUntil('-', &span));
  const auto last = is_range ? Number(span) : first;
  const auto step = has_step ? Number(text) : std::optional<uint32_t>(1);
  if (!first || !last || !step || *last < *first || *step == 0) {
    return std::nullopt;
  }
  if (has_step && !is_range) return std::nullopt;
  return Item{*first, *last, *step};
}

absl::Status WrongForm() {
  return MakeError(policy_spec_messages::kListInvalid);
}

}  // namespace

absl::StatusOr<TaskSet> TaskSet::Parse(std::string_view text) {
  TaskSet tasks;
  int64_t count = 0;
  // "1," is not a list.
  if (text.empty() || text.back() == ',') return WrongForm();
  while (!text.empty()) {
    const std::optional<Item> item = ItemOf(TakeUntil(',', &text));
    if (!item) return WrongForm();
    count += item->size();
    if (count > kMaxTasks) {
      return MakeError(policy_spec_messages::kTooManyTasks,
                       {{"max", kMaxTasks}});
    }
    if (item->step == 1) {
      tasks.Add(Range{item->first, item->last});
      continue;
    }
    for (int64_t index = item->first; index <= item->last;
         index += item->step) {
      tasks.Add(static_cast<uint32_t>(index));
    }
  }
  if (tasks.size() == count) return tasks;
  return MakeError(policy_spec_messages::kIndexRepeated);
}

void TaskSet::Add(Range range) {
  if (!ranges_.empty() && ranges_.back().last + 1 < range.first) {
    ranges_.push_back(range);  // usually they come in order
    return;
  }
  const auto first =
      std::lower_bound(ranges_.begin(), ranges_.end(), range.first,
                       [](const Range& old, uint32_t value) {
                         return int64_t{old.last} + 1 < int64_t{value};
                       });
  auto last = first;
  while (last != ranges_.end() && last->first <= int64_t{range.last} + 1) {
    range.first = std::min(range.first, last->first);
    range.last = std::max(range.last, last->last);
    ++last;
  }
  ranges_.insert(ranges_.erase(first, last), range);
}

void TaskSet::Add(const TaskSet& other) {
  std::vector<Range> both(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(),
             other.ranges_.end(), both.begin(),
             [](const Range& a, const Range& b) { return a.first < b.first; });
  ranges_.clear();
  for (const Range& range : both) Add(range);  // in ascending order
}

bool TaskSet::Contains(uint32_t index) const {
  const auto found = std::lower_bound(
      ranges_.begin(), ranges_.end(), index,
      [](const Range& range, uint32_t value) { return range.last < value; });
  return found != ranges_.end() && found->first <= index;
}

TaskSet TaskSet::Without(const TaskSet& other) const {
  TaskSet rest;
  auto taken = other.ranges_.begin();
  for (Range range : ranges_) {
    taken = std::lower_bound(
        taken, other.ranges_.end(), range.first,
        [](const Range& one, uint32_t value) { return one.last < value; });
    auto cut = taken;
    bool some = true;
    for (; some && cut != other.ranges_.end() && cut->first <= range.last;
         ++cut) {
      if (cut->first > range.first) {
        rest.Add(Range{range.first, cut->first - 1});
      }
      some = cut->last < range.last;
      if (some) range.first = cut->last + 1;
    }
    if (some) rest.Add(range);
  }
  return rest;
}

int64_t TaskSet::size() const {
  int64_t size = 0;
  for (const Range& range : ranges_) {
    size += int64_t{range.last} - range.first + 1;
  }
  return size;
}

std::string TaskSet::ToString() const {
  std::string text;
  for (const Range& range : ranges_) {
    absl::StrAppend(&text, text.empty() ? "" : ",", range.first);
    if (range.last > range.first) absl::StrAppend(&text, "-", range.last);
  }
  return text;
}

absl::StatusOr<ArrayShape> ParseArray(std::string_view text) {
  if (text.size() > kLongestText) {
    return MakeError(policy_spec_messages::kTextTooLong,
                     {{"found", text.size()}, {"max", kLongestText}});
  }
  ArrayShape shape;
  const bool is_bounded = text.find('%') != std::string_view::npos;
  const std::string_view indices = TakeUntil('%', &text);
  if (is_bounded) {
    const std::optional<uint32_t> at_once = Number(text);
    if (!at_once || *at_once == 0) return WrongForm();
    shape.at_once = static_cast<int>(*at_once);
  }
  ASSIGN_OR_RETURN(shape.tasks, TaskSet::Parse(indices));
  return shape;
}

int64_t TaskCount(std::string_view array) {
  if (array.empty()) return 1;
  const absl::StatusOr<ArrayShape> shape = ParseArray(array);
  return shape.ok() ? shape->tasks.size() : 1;
}

int64_t MaxAtOnce(std::string_view array) {
  if (array.empty()) return 1;
  const absl::StatusOr<ArrayShape> shape = ParseArray(array);
  if (!shape.ok()) return 1;
  const int64_t count = shape->tasks.size();
  return shape->at_once == 0 ? count : std::min<int64_t>(shape->at_once, count);
}

}  // namespace carme::backend
