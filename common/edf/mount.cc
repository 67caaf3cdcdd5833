#include "common/edf/mount.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/edf/messages.h"
#include "common/edf/paths.h"

namespace carme {
namespace {

// A mount has at most one flag of each row. Shared propagation is not allowed,
// because mounts of an environment must not appear on the node.
const std::vector<std::set<std::string>>& FlagRows() {
  static const auto* const rows = new std::vector<std::set<std::string>>{
      {"ro", "rw"}, {"bind", "rbind"},
      {"nosuid"},   {"nodev"},
      {"noexec"},   {"private", "rprivate", "slave", "rslave"}};
  return *rows;
}

DisplayText FlagsFault(const std::set<std::string>& flags) {
  if (flags.count("sqsh") != 0) {
    return flags.size() == 1 ? DisplayText()
                             : MakeText(edf_messages::kSqshNotAlone);
  }
  size_t known = 0;
  for (const std::set<std::string>& row : FlagRows()) {
    std::vector<std::string> of_row;
    for (const std::string& flag : flags) {
      if (row.count(flag) != 0) of_row.push_back(flag);
    }
    known += of_row.size();
    if (of_row.size() > 1) {
      return MakeText(edf_messages::kExpectOneFlag,
                      {{"flags", absl::StrJoin(of_row, ", ")}});
    }
  }
  if (known == flags.size()) return {};
  return MakeText(edf_messages::kUnknownFlag);
}

class Parser {
 public:
  Parser(const EdfText& found, const EdfVariables& variables,
         std::string_view cwd, EdfProblems* problems)
      : found_(found), variables_(variables), cwd_(cwd), problems_(problems) {}

  std::optional<EdfMount> Run() {
    const std::vector<std::string> fields = Fields();
    if (fields.empty() || fields.size() > 3) {
      return Fail(EdfNumber::kMountFields,
                  MakeText(edf_messages::kMountFieldCount,
                           {{"fields", fields.size()}}));
    }
    EdfMount mount;
    if (!Path(fields[0], EdfNumber::kMountSource, edf_messages::kSource,
              &mount.source)) {
      return std::nullopt;
    }
    if (!Path(fields.size() > 1 ? fields[1] : fields[0],
              EdfNumber::kMountDestination, edf_messages::kDestination,
              &mount.destination)) {
      return std::nullopt;
    }
    if (mount.destination == "/" || HasParent(mount.destination)) {
      return Fail(EdfNumber::kMountDestination,
                  MakeText(edf_messages::kMountDestination));
    }
    if (fields.size() == 3 && !Flags(fields[2], &mount.flags)) {
      return std::nullopt;
    }
    return mount;
  }

 private:
  // Split at each ":" that is not part of a reference.
  std::vector<std::string> Fields() const {
    std::vector<std::string> fields(1);
    int depth = 0;
    char before = 0;
    for (const char c : found_.text) {
      if (c == '{' && before == '$') ++depth;
      if (c == '}' && depth > 0) --depth;
      if (c == ':' && depth == 0) {
        fields.emplace_back();
      } else {
        fields.back().push_back(c);
      }
      // the second "$" of "$$" begins no reference
      before = c == '$' && before == '$' ? 0 : c;
    }
    if (fields.size() == 1 && fields[0].empty()) fields.clear();
    return fields;
  }

  std::optional<std::string> Expanded(const std::string& field) {
    return ExpandVariables({field, found_.place, found_.name}, variables_,
                           problems_);
  }

  bool Path(const std::string& field, EdfNumber number,
            const TextTemplate& part, std::string* path) {
    const std::optional<std::string> expanded = Expanded(field);
    if (!expanded) return false;
    if (!LooksLikePath(*expanded)) {
      Fail(number,
           MakeText(edf_messages::kMountPath,
                    {{"part", MakeText(part)}, {"path", Quoted(*expanded)}}));
      return false;
    }
    *path = AbsolutePath(*expanded, cwd_);
    const DisplayText fault = PathFault(*path);
    if (!fault.empty()) {
      Fail(EdfNumber::kPath,
           MakeText(edf_messages::kMountPathFault, {{"part", MakeText(part)},
                                                    {"path", Quoted(*path)},
                                                    {"fault", fault}}));
    }
    return fault.empty();
  }

  bool Flags(const std::string& field, std::set<std::string>* flags) {
    const std::optional<std::string> expanded = Expanded(field);
    if (!expanded) return false;
    *flags = absl::StrSplit(*expanded, absl::ByAnyChar("+,"));
    const DisplayText fault = FlagsFault(*flags);
    if (!fault.empty()) {
      Fail(EdfNumber::kMountFlags,
           MakeText(edf_messages::kMountFlags,
                    {{"flags", Quoted(*expanded)}, {"fault", fault}}));
    }
    return fault.empty();
  }

  std::optional<EdfMount> Fail(EdfNumber number, DisplayText why) {
    problems_->Refuse(number, found_, std::move(why));
    return std::nullopt;
  }

  const EdfText& found_;
  const EdfVariables& variables_;
  const std::string_view cwd_;
  EdfProblems* const problems_;
};

}  // namespace

std::optional<EdfMount> ParseMount(const EdfText& found,
                                   const EdfVariables& variables,
                                   std::string_view cwd,
                                   EdfProblems* problems) {
  return Parser(found, variables, cwd, problems).Run();
}

std::string MountText(const EdfMount& mount) {
  return absl::StrCat(mount.source, ":", mount.destination,
                      mount.flags.empty() ? "" : ":",
                      absl::StrJoin(mount.flags, "+"));
}

}  // namespace carme
