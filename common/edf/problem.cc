#include "common/edf/problem.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/printable.h"

namespace carme {
namespace {

std::string ToString(const EdfPlace& place) {
  if (place.file.empty()) return "";
  const std::string file = Readable(place.file, kMaxEdfPathBytes);
  return place.line == 0 ? absl::StrCat(file, ": ")
                         : absl::StrCat(file, ":", place.line, ": ");
}

}  // namespace

std::string Located(const EdfProblem& problem) {
  return absl::StrCat(ToString(problem.place), problem.text.text);
}

std::string ToString(const EdfProblem& problem) {
  return absl::StrCat(
      absl::StrFormat("Error %03d: ", static_cast<int>(problem.number)),
      Located(problem));
}

std::string Quoted(std::string_view found) {
  constexpr size_t kShown = 80;
  return absl::StrCat("\"", Readable(found, kShown),
                      found.size() > kShown ? "…\"" : "\"");
}

void EdfProblems::Add(EdfNumber number, EdfPlace place, DisplayText text) {
  if (list_.size() == kMaxEdfProblems) {
    ++more_;
    return;
  }
  list_.push_back({number, std::move(place), std::move(text)});
}

void EdfProblems::Refuse(EdfNumber number, const EdfText& found,
                         DisplayText why) {
  Add(number, found.place,
      MakeText(edf_messages::kRefused, {{"name", Quoted(found.name)},
                                        {"value", Quoted(found.text)},
                                        {"why", why}}));
}

void EdfProblems::AddAll(EdfProblems file) {
  std::stable_sort(file.list_.begin(), file.list_.end(),
                   [](const EdfProblem& a, const EdfProblem& b) {
                     return a.place.line < b.place.line;
                   });
  for (EdfProblem& problem : file.list_) {
    Add(problem.number, std::move(problem.place), std::move(problem.text));
  }
  more_ += file.more_;
}

absl::Status EdfProblems::status() const {
  if (list_.empty()) return absl::OkStatus();
  if (list_.size() == 1) return absl::InvalidArgumentError(ToString(list_[0]));
  std::string lines;
  for (size_t i = 0; i < list_.size(); ++i) {
    absl::StrAppend(&lines, i == 0 ? "" : "\n", i + 1, ". ",
                    ToString(list_[i]));
  }
  if (more_ > 0) absl::StrAppend(&lines, "\nand ", more_, " more");
  return absl::InvalidArgumentError(lines);
}

}  // namespace carme
