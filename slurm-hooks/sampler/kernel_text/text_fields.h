// Reads lines, words and numbers of the kernel's text files without allocating.
#ifndef CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_TEXT_FIELDS_H_
#define CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_TEXT_FIELDS_H_

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace carme::sampler {

// Removes the first line from `text` and returns it without its newline.
inline std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

// Removes blanks and the word behind them from `line` and returns the word;
// empty at the end of the line.
inline std::string_view TakeWord(std::string_view* line) {
  const size_t begin = line->find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    *line = {};
    return {};
  }
  line->remove_prefix(begin);
  const std::string_view word = line->substr(0, line->find_first_of(" \t"));
  line->remove_prefix(word.size());
  return word;
}

// nullopt: not a decimal number without sign, or too large.
inline std::optional<uint64_t> ParseCount(std::string_view word) {
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return value;
}

// A file whose content is one number.
inline std::optional<uint64_t> ParseOnlyCount(std::string_view text) {
  std::string_view line = TakeLine(&text);
  return ParseCount(TakeWord(&line));
}

// nullopt: not a finite number.
inline std::optional<double> ParseFinite(std::string_view word) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

inline std::optional<double> AsDouble(std::optional<uint64_t> count) {
  if (!count) return std::nullopt;
  return static_cast<double>(*count);
}

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_TEXT_FIELDS_H_
