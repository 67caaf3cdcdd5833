#include "common/edf/search.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/edf/paths.h"
#include "common/printable.h"

namespace carme {
namespace {

std::string Variable(const EdfContext& context, std::string_view name) {
  const auto found = context.variables.find(name);
  return found == context.variables.end() ? "" : found->second;
}

std::optional<std::vector<std::string>> Directories(const EdfContext& context,
                                                    EdfProblems* problems) {
  std::vector<std::string> directories =
      absl::StrSplit(Variable(context, "EDF_PATH"), ':', absl::SkipEmpty());
  for (const std::string& directory : directories) {
    if (directory[0] == '/') continue;
    problems->Add(EdfNumber::kPath, {},
                  absl::StrCat("EDF_PATH names ", Quoted(directory),
                               ": expected absolute directories, with \":\" "
                               "between them"));
    return std::nullopt;
  }
  const std::string home = Variable(context, "HOME");
  if (directories.empty() && !home.empty()) {
    directories.push_back(absl::StrCat(home, "/.edf"));
  }
  directories.insert(directories.end(), context.system_directories.begin(),
                     context.system_directories.end());
  return directories;
}

// Whether the last component of `path` is a name with the extension "toml".
bool NamesToml(const EdfText& name, EdfProblems* problems) {
  const std::string& path = name.text;
  const std::string file = path.substr(path.rfind('/') + 1);
  if (file.empty() || file == "." || file == "..") {
    problems->Refuse(EdfNumber::kFileName, name, "has no file name");
  } else if (const size_t dot = file.rfind('.');
             dot == std::string::npos || dot == 0) {
    problems->Refuse(EdfNumber::kNoExtension, name,
                     "has no extension: expected \".toml\"");
  } else if (file.substr(dot) != ".toml") {
    problems->Refuse(
        EdfNumber::kExtension, name,
        absl::StrCat("has the extension ", Quoted(file.substr(dot)),
                     ": expected \".toml\""));
  } else {
    return true;
  }
  return false;
}

std::optional<std::string> FindPath(const EdfText& name,
                                    const EdfContext& context,
                                    EdfProblems* problems) {
  if (!NamesToml(name, problems)) return std::nullopt;
  const std::string path = AbsolutePath(name.text, context.cwd);
  switch (context.files.kind(path)) {
    case EdfFileKind::kMissing:
      problems->Add(EdfNumber::kNotFound, name.place,
                    absl::StrCat("environment ", Quoted(name.text),
                                 " not found at ", Quoted(path)));
      return std::nullopt;
    case EdfFileKind::kOther:
      problems->Add(EdfNumber::kUnreadable, name.place,
                    absl::StrCat("cannot read ", Quoted(path),
                                 ": expected a regular file"));
      return std::nullopt;
    default:
      return path;
  }
}

}  // namespace

std::optional<std::string> FindEdf(const EdfText& name,
                                   const EdfContext& context,
                                   EdfProblems* problems) {
  if (name.text.empty() || !PrintableLength(name.text) || !IsUtf8(name.text)) {
    problems->Refuse(EdfNumber::kFileName, name,
                     "expected the name or path of an environment");
    return std::nullopt;
  }
  if (name.text[0] == '.' || name.text[0] == '/' ||
      name.text.ends_with(".toml")) {
    return FindPath(name, context, problems);
  }
  if (HasParent(name.text)) {
    problems->Refuse(EdfNumber::kFileName, name,
                     "expected a name without \"..\"");
    return std::nullopt;
  }
  const auto directories = Directories(context, problems);
  if (!directories) return std::nullopt;
  for (const std::string& directory : *directories) {
    const std::string path = absl::StrCat(directory, "/", name.text, ".toml");
    const EdfFileKind kind = context.files.kind(path);
    if (kind == EdfFileKind::kRegular || kind == EdfFileKind::kUnknown) {
      return AbsolutePath(path, "/");
    }
  }
  problems->Add(
      EdfNumber::kNotFound, name.place,
      absl::StrCat(
          "environment ", Quoted(name.text), " not found at ",
          absl::StrJoin(*directories, ", ",
                        [](std::string* out, const std::string& directory) {
                          *out += Quoted(directory);
                        })));
  return std::nullopt;
}

}  // namespace carme
