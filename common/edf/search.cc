#include "common/edf/search.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/edf/messages.h"
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
                  MakeText(edf_messages::kSearchPath,
                           {{"directory", Quoted(directory)}}));
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

// "/a, /b". The first one has a parameter of its own, so that a caller can name
// it in another way.
DisplayText PlacesText(const std::vector<std::string>& directories) {
  if (directories.empty()) return {};
  const std::string further =
      absl::StrJoin(directories.begin() + 1, directories.end(), ", ",
                    [](std::string* out, const std::string& directory) {
                      *out += Quoted(directory);
                    });
  const std::string first = Quoted(directories[0]);
  if (further.empty()) return first;
  return MakeText(edf_messages::kPlaces,
                  {{"first", first}, {"further", further}});
}

// Whether the last component of `path` is a name with the extension "toml".
bool NamesToml(const EdfText& name, EdfProblems* problems) {
  const std::string& path = name.text;
  const std::string file = path.substr(path.rfind('/') + 1);
  if (file.empty() || file == "." || file == "..") {
    problems->Refuse(EdfNumber::kFileName, name,
                     MakeText(edf_messages::kNoFileName));
  } else if (const size_t dot = file.rfind('.');
             dot == std::string::npos || dot == 0) {
    problems->Refuse(EdfNumber::kNoExtension, name,
                     MakeText(edf_messages::kNoExtension));
  } else if (file.substr(dot) != ".toml") {
    problems->Refuse(EdfNumber::kExtension, name,
                     MakeText(edf_messages::kWrongExtension,
                              {{"extension", Quoted(file.substr(dot))}}));
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
      problems->Add(
          EdfNumber::kNotFound, name.place,
          MakeText(edf_messages::kNotFoundAt,
                   {{"name", Quoted(name.text)}, {"path", Quoted(path)}}));
      return std::nullopt;
    case EdfFileKind::kOther:
      problems->Add(
          EdfNumber::kUnreadable, name.place,
          MakeText(edf_messages::kNotAFile, {{"path", Quoted(path)}}));
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
                     MakeText(edf_messages::kNameMissing));
    return std::nullopt;
  }
  if (name.text[0] == '.' || name.text[0] == '/' ||
      name.text.ends_with(".toml")) {
    return FindPath(name, context, problems);
  }
  if (HasParent(name.text)) {
    problems->Refuse(EdfNumber::kFileName, name,
                     MakeText(edf_messages::kNameWithDots));
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
  problems->Add(EdfNumber::kNotFound, name.place,
                MakeText(edf_messages::kNotFoundIn,
                         {{"name", Quoted(name.text)},
                          {"directories", PlacesText(*directories)}}));
  return std::nullopt;
}

}  // namespace carme
