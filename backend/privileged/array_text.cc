#include "backend/privileged/array_text.h"

#include <charconv>
#include <string>

namespace carme::impersonator {
namespace {

constexpr int64_t kMostIndex = 4'000'000;  // Slurm's own bound

// Takes a number off the front of the text.
std::optional<int64_t> TakeNumber(std::string_view* text) {
  int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || number < 0 || number > kMostIndex) {
    return std::nullopt;
  }
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return number;
}

bool TakeMark(char mark, std::string_view* text) {
  if (!text->starts_with(mark)) return false;
  text->remove_prefix(1);
  return true;
}

// "7", "0-3" or "10-20:5".
std::optional<int64_t> TakeItem(std::string_view* text) {
  const std::optional<int64_t> first = TakeNumber(text);
  if (!first) return std::nullopt;
  if (!TakeMark('-', text)) return 1;
  const std::optional<int64_t> last = TakeNumber(text);
  if (!last || *last < *first) return std::nullopt;
  if (!TakeMark(':', text)) return *last - *first + 1;
  const std::optional<int64_t> step = TakeNumber(text);
  if (!step || *step == 0) return std::nullopt;
  return (*last - *first) / *step + 1;
}

}  // namespace

std::optional<int64_t> CountTasks(std::string_view array) {
  int64_t tasks = 0;
  do {
    const std::optional<int64_t> item = TakeItem(&array);
    if (!item) return std::nullopt;
    tasks += *item;
  } while (TakeMark(',', &array));
  if (TakeMark('%', &array)) {
    const std::optional<int64_t> at_once = TakeNumber(&array);
    if (!at_once || *at_once == 0) return std::nullopt;
  }
  if (!array.empty()) return std::nullopt;
  return tasks;
}

}  // namespace carme::impersonator
