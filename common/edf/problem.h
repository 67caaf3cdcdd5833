// The problems of an environment. Each has a stable number, the file and line,
// the found value and the expected one.
#ifndef CARME_COMMON_EDF_PROBLEM_H_
#define CARME_COMMON_EDF_PROBLEM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/display_text.h"

namespace carme {

// Numbers below 100 are those of the Sarus suite, which users may know. Its
// other numbers are about its own components.
//
//   2, 3, 4          unreadable file; broken TOML; against the schema
//   5, 6, 7          a base comes back or lies too deep; not found; no image
//   8, 9             number of a mount's fields; a path
//   12, 13, 14, 16   a mount's source, its destination; a SquashFS file that is
//                    missing, or not a file
//   17, 18, 19       undefined variable; malformed reference; result too long
//                    or not UTF-8
//   20, 21, 22       path without file name, without extension, with another
//                    than .toml
//   100              a limit (limits.h)
//   101, 102, 103, 104   image reference, mount flags, device, annotation (a
//                    warning)
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

// A line of a file. Line 0: the whole file. An empty file name: no file.
struct EdfPlace {
  std::string file;
  uint32_t line = 0;
};

// A text of a file, with its name and position for messages.
struct EdfText {
  std::string text;
  EdfPlace place;
  std::string name;  // "mounts[2]", "env.PATH"
};

struct EdfProblem {
  EdfNumber number;
  EdfPlace place;
  DisplayText text;
};

// `job.toml:3: environment "x" not found …`, and with `Error 006: ` before it.
std::string Located(const EdfProblem& problem);
std::string ToString(const EdfProblem& problem);

// Content of a file for a message: quoted, without unsafe characters, cut after
// 80 bytes.
std::string Quoted(std::string_view found);

// Collects problems; those beyond kMaxEdfProblems are only counted.
class EdfProblems {
 public:
  void Add(EdfNumber number, EdfPlace place, DisplayText text);
  // `"mounts[2]" is "a:b:c:d": has 4 fields: expected …`
  void Refuse(EdfNumber number, const EdfText& found, DisplayText why);

  // The problems of one file, in the order of its lines.
  void AddAll(EdfProblems file);

  bool empty() const { return list_.empty(); }
  size_t size() const { return list_.size() + more_; }
  const std::vector<EdfProblem>& list() const { return list_; }
  // INVALID_ARGUMENT with one line per problem, numbered if there are several;
  // OK without problems.
  absl::Status status() const;

 private:
  std::vector<EdfProblem> list_;
  size_t more_ = 0;
};

}  // namespace carme

#endif  // CARME_COMMON_EDF_PROBLEM_H_
