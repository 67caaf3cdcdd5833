// Files in a map, and the text of a result for a test.
#ifndef CARME_TESTS_COMMON_EDF_MEMORY_FILES_H_
#define CARME_TESTS_COMMON_EDF_MEMORY_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "common/edf/render.h"

namespace carme {

// A name that ends with "/" is a directory. `files` outlives the result.
inline EdfFiles MemoryFiles(const std::map<std::string, std::string>* files) {
  return {.read = [files](const std::string& path,
                          size_t max_bytes) -> absl::StatusOr<std::string> {
            const auto found = files->find(path);
            if (found == files->end())
              return absl::NotFoundError("no such file");
            if (found->second == "unreadable") {
              return absl::PermissionDeniedError("permission denied");
            }
            if (found->second.size() > max_bytes) {
              return absl::ResourceExhaustedError("too long");
            }
            return found->second;
          },
          .kind =
              [files](const std::string& path) {
                if (files->count(path) != 0) return EdfFileKind::kRegular;
                return files->count(path + "/") != 0 ? EdfFileKind::kOther
                                                     : EdfFileKind::kMissing;
              }};
}

// Ada's shell in /here, with these files.
inline EdfContext ContextWith(const std::map<std::string, std::string>* files) {
  return {.files = MemoryFiles(files),
          .variables = {{"USER", "ada"},
                        {"HOME", "/home/ada"},
                        {"SCRATCH", "/scratch/ada"},
                        {"EMPTY", ""},
                        {"COLON", "/a:/b"}},
          .cwd = "/here"};
}

inline EdfResult RenderText(const std::string& text) {
  static const std::map<std::string, std::string> none;
  return RenderEdfText(text, "x.toml", ContextWith(&none));
}

inline std::vector<int> Numbers(const EdfProblems& problems) {
  std::vector<int> numbers;
  for (const EdfProblem& problem : problems.list()) {
    numbers.push_back(static_cast<int>(problem.number));
  }
  return numbers;
}

// All problems, one line each.
inline std::string Text(const EdfProblems& problems) {
  return std::string(problems.status().message());
}

}  // namespace carme

#endif  // CARME_TESTS_COMMON_EDF_MEMORY_FILES_H_
