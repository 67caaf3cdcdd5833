#include "backend/environments/environment_files.h"

#include <dirent.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "backend/environments/environment_name.h"
#include "backend/environments/messages.h"
#include "common/edf/limits.h"
#include "common/edf/paths.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::string_view kExtension = ".toml";
constexpr size_t kMaxSiteEnvironments = 500;

// NAME of "<directory>/NAME.toml"; nullopt for any other path.
std::optional<std::string> NameIn(const std::string& directory,
                                  const std::string& path) {
  absl::string_view rest = path;
  if (!absl::ConsumePrefix(&rest, directory) ||
      !absl::ConsumePrefix(&rest, "/") || !absl::EndsWith(rest, kExtension)) {
    return std::nullopt;
  }
  rest.remove_suffix(kExtension.size());
  return std::string(rest);
}

// One rendering's view.
class Files {
 public:
  Files(EnvironmentStore* store, Uid uid,
        std::vector<std::string> system_directories)
      : store_(*store),
        uid_(uid),
        system_directories_(std::move(system_directories)),
        real_(RealEdfFiles()) {}

  EdfFileKind KindOf(const std::string& path) {
    if (const auto own = NameIn(kOwnEnvironments, path)) {
      // A database error is not handled here: reading the file returns it
      // again.
      return IsEnvironmentName(*own) &&
                     !absl::IsNotFound(store_.Find(uid_, *own).status())
                 ? EdfFileKind::kRegular
                 : EdfFileKind::kMissing;
    }
    return IsSites(path) ? real_.kind(path) : EdfFileKind::kUnknown;
  }

  absl::StatusOr<std::string> Read(const std::string& path, size_t max) {
    absl::StatusOr<std::string> text = ReadAny(path, max);
    if (!text.ok()) return text;
    bytes_ += text->size();
    if (bytes_ <= kMaxInheritedBytes) return text;
    return MakeError(environment_messages::kInheritedTooLong,
                     {{"max", kMaxInheritedBytes}});
  }

 private:
  absl::StatusOr<std::string> ReadAny(const std::string& path, size_t max) {
    if (const auto own = NameIn(kOwnEnvironments, path)) {
      absl::StatusOr<StoredEnvironment> found = store_.Find(uid_, *own);
      if (found.ok()) return std::move(found->text);
      if (absl::IsNotFound(found.status())) return found.status();
      LogWarning("environment not read",
                 {{"error", StatusText(found.status())}});
      return MakeError(environment_messages::kUnreadable);
    }
    if (IsSites(path)) return real_.read(path, max);
    return MakeError(environment_messages::kFileNotAllowed);
  }

  // Links in the site's directories may lead anywhere, because the site creates
  // them.
  bool IsSites(const std::string& path) const {
    for (const std::string& directory : system_directories_) {
      if (NameIn(directory, path)) return !HasParent(path);
    }
    return false;
  }

  EnvironmentStore& store_;
  const Uid uid_;
  const std::vector<std::string> system_directories_;
  const EdfFiles real_;
  size_t bytes_ = 0;
};

void AddNames(const std::string& directory, std::set<std::string>* names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(directory.c_str()),
                                                 closedir);
  if (open == nullptr) return;
  while (const dirent* entry = readdir(open.get())) {
    absl::string_view name = entry->d_name;
    if (!absl::EndsWith(name, kExtension)) continue;
    name.remove_suffix(kExtension.size());
    const std::string found(name);
    if (IsEnvironmentName(found)) names->insert(found);
    if (names->size() == kMaxSiteEnvironments) return;
  }
}

}  // namespace

EdfFiles EnvironmentFiles(EnvironmentStore* store, Uid uid,
                          const std::vector<std::string>& system_directories) {
  const auto files = std::make_shared<Files>(store, uid, system_directories);
  return {
      .read = [files](const std::string& path,
                      size_t max) { return files->Read(path, max); },
      .kind = [files](const std::string& path) { return files->KindOf(path); },
      .explain = TextOfStatus};
}

std::vector<std::string> SiteEnvironments(
    const std::vector<std::string>& system_directories) {
  std::set<std::string> names;
  for (const std::string& directory : system_directories) {
    AddNames(directory, &names);
  }
  return {names.begin(), names.end()};
}

absl::StatusOr<std::string> ReadSiteEnvironment(
    const std::vector<std::string>& system_directories,
    const std::string& name) {
  for (const std::string& directory : system_directories) {
    absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat(directory, "/", name, kExtension), kMaxEdfBytes);
    if (!absl::IsNotFound(text.status())) return text;
  }
  return MakeError(environment_messages::kNotOfSite);
}

}  // namespace carme::backend
