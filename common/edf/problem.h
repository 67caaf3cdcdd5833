// What is wrong with an environment, told in full: each problem has a number
// that stays, the file and line, what was found and what was expected.
#ifndef CARME_COMMON_EDF_PROBLEM_H_
#define CARME_COMMON_EDF_PROBLEM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace carme {

// Those below 100 are the ones of Sarus suite, which users may know; numbers
// of it that are missing here are about its own parts.
enum class EdfNumber : int {
  kUnreadable = 2,
  kSyntax = 3,
  kSchema = 4,
  kRecursion = 5,
  kNotFound = 6,
  kMissingImage = 7,
  kMountFields = 8,
  kPath = 9,
  kMountSource = 12,
  kMountDestination = 13,
  kSquashMissing = 14,
  kSquashKind = 16,
  kUndefined = 17,
  kReference = 18,
  kExpansion = 19,
  kFileName = 20,
  kNoExtension = 21,
  kExtension = 22,
  kLimit = 100,
  kImage = 101,
  kMountFlags = 102,
  kDevice = 103,
  kAnnotation = 104,
};

// A line of a file. Line 0 is the file as a whole; no file is none at all.
struct EdfPlace {
  std::string file;
  uint32_t line = 0;
};

// A text of a file, with what is needed to speak of it.
struct EdfText {
  std::string text;
  EdfPlace place;
  std::string name;  // "mounts[2]", "env.PATH"
};

struct EdfProblem {
  EdfNumber number;
  EdfPlace place;
  std::string text;
};

// `job.toml:3: environment "x" not found …`, and with `Error 006: ` before it.
std::string Located(const EdfProblem& problem);
std::string ToString(const EdfProblem& problem);

// What a file holds, as it may be shown: quoted, without what deceives a
// terminal, cut after 80 bytes.
std::string Quoted(std::string_view found);

// Collects problems; those beyond kMaxEdfProblems are counted, not kept.
class EdfProblems {
 public:
  void Add(EdfNumber number, EdfPlace place, std::string text);
  // `"mounts[2]" is "a:b:c:d": has 4 fields: expected …`
  void Refuse(EdfNumber number, const EdfText& found, std::string_view why);

  // Those of one file, in the order of its lines.
  void AddAll(EdfProblems file);

  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size() + more_; }
  const std::vector<EdfProblem>& list() const { return list_; }
  // INVALID_ARGUMENT with a line each, numbered where there are several; OK
  // when there is none.
  absl::Status status() const;

 private:
  std::vector<EdfProblem> list_;
  size_t more_ = 0;
};

}  // namespace carme

#endif  // CARME_COMMON_EDF_PROBLEM_H_
