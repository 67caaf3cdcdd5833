#include "slurm-hooks/files/file_listing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/file_tree/directory.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/files/request_target.h"
#include "slurm-hooks/web_app/json.h"

namespace carme::files {
namespace {

using web_app::JsonString;

constexpr size_t kMaxEntries = 20'000;
constexpr size_t kMaxFound = 500;
constexpr absl::Duration kSearchTimeout = absl::Seconds(5);

std::string Shown(std::string_view bytes) {
  return JsonString(ValidUtf8(bytes));
}

std::string_view KindOf(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  return S_ISDIR(mode) ? "folder" : "other";
}

std::string ModeText(mode_t mode) {
  constexpr std::string_view kLetters = "rwxrwxrwx";
  std::string text;
  for (size_t at = 0; at < kLetters.size(); ++at) {
    text += (mode >> (kLetters.size() - 1 - at) & 1) != 0 ? kLetters[at] : '-';
  }
  return text;
}

// Without NSS, which a static program in an image of a user cannot use.
std::string OwnerName(uid_t uid) {
  const char* user = getenv("USER");
  if (uid == geteuid() && user != nullptr) return user;
  return uid == 0 ? "root" : absl::StrCat(uid);
}

// At most what dates of browsers can be.
int64_t ModifiedMs(const struct stat& info) {
  constexpr int64_t kMax_s = 8'640'000'000'000;
  const int64_t s = info.st_mtim.tv_sec;
  if (s >= kMax_s || s <= -kMax_s)
    return s > 0 ? kMax_s * 1000 : -kMax_s * 1000;
  return s * 1000 + info.st_mtim.tv_nsec / 1000000;
}

// The fields that a list and a search have in common.
std::string InfoFields(const struct stat& info) {
  return absl::StrCat("\"kind\":\"", std::string(KindOf(info.st_mode)),
                      "\",\"size\":", info.st_size,
                      ",\"modified_ms\":", ModifiedMs(info));
}

std::string LinkTarget(int directory, const std::string& name) {
  char target[4096];
  const ssize_t size =
      readlinkat(directory, name.c_str(), target, sizeof target);
  return size < 0 ? "" : std::string(target, static_cast<size_t>(size));
}

// Null if the entry has disappeared.
std::optional<std::string> EntryJson(int directory, const std::string& name) {
  struct stat info {};
  if (fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  std::string link;
  if (S_ISLNK(info.st_mode)) {
    link = absl::StrCat(",\"link\":", Shown(LinkTarget(directory, name)));
    struct stat target {};
    if (fstatat(directory, name.c_str(), &target, 0) == 0) info = target;
  }
  return absl::StrCat(
      "{\"name\":", Shown(name), ",\"raw\":", JsonString(PercentEncode(name)),
      ",", InfoFields(info), link, ",\"mode\":\"", ModeText(info.st_mode),
      "\",\"owner\":", Shown(OwnerName(info.st_uid)), "}");
}

absl::StatusOr<UniqueFd> OpenDirectory(const std::string& path) {
  UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) return directory;
  return FileErrno(errno, absl::StrCat("open \"", path, "\""));
}

class FileSearch {
 public:
  explicit FileSearch(std::string_view name)
      : name_(absl::AsciiStrToLower({name.data(), name.size()})) {}

  void Directory(const UniqueFd& directory, const std::string& path,
                 int depth) {
    const auto names = node::ReadDirectory(directory.get(), path);
    if (!names.ok()) return;
    for (const std::string& entry : *names) {
      if (count_ == kMaxFound || absl::Now() > deadline_) complete_ = false;
      if (!complete_) return;
      Entry(directory.get(), entry,
            path == "/" ? absl::StrCat("/", entry)
                        : absl::StrCat(path, "/", entry),
            depth);
    }
  }

  std::string Json() const {
    return absl::StrCat("{\"entries\":[", entries_,
                        "],\"complete\":", complete_ ? "true" : "false", "}");
  }

 private:
  void Entry(int directory, const std::string& entry, const std::string& path,
             int depth) {
    struct stat info {};
    if (fstatat(directory, entry.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    if (absl::AsciiStrToLower(entry).find(name_) != std::string::npos) {
      absl::StrAppend(&entries_, count_ > 0 ? "," : "",
                      "{\"path\":", Shown(path),
                      ",\"raw\":", JsonString(PercentEncode(path)), ",",
                      InfoFields(info), "}");
      ++count_;
    }
    if (!S_ISDIR(info.st_mode) || depth == node::kMaxTreeDepth) return;
    const UniqueFd below(
        openat(directory, entry.c_str(),
               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (below.valid()) Directory(below, path, depth + 1);
  }

  const std::string name_;
  const absl::Time deadline_ = absl::Now() + kSearchTimeout;
  std::string entries_;
  size_t count_ = 0;
  bool complete_ = true;
};

}  // namespace

std::string PlacesJson(const std::vector<FilePlace>& places) {
  std::string list, home;
  for (const FilePlace& place : places) {
    struct statvfs space {};
    if (place.name == "home") home = place.path;
    if (statvfs(place.path.c_str(), &space) != 0) continue;
    absl::StrAppend(
        &list, list.empty() ? "" : ",", "{\"name\":", Shown(place.name),
        ",\"path\":", Shown(place.path),
        ",\"raw\":", JsonString(PercentEncode(place.path)),
        ",\"free_bytes\":", uint64_t{space.f_bavail} * space.f_frsize,
        ",\"size_bytes\":", uint64_t{space.f_blocks} * space.f_frsize, "}");
  }
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return absl::StrCat("{\"user\":", Shown(OwnerName(geteuid())),
                      ",\"host\":", Shown(host), ",\"home\":", Shown(home),
                      ",\"places\":[", list, "]}");
}

absl::StatusOr<std::string> ListJson(const std::string& path) {
  ASSIGN_OR_RETURN(const UniqueFd directory, OpenDirectory(path));
  ASSIGN_OR_RETURN(const auto names,
                   node::ReadDirectory(directory.get(), path));
  std::string entries;
  size_t count = 0;
  for (const std::string& name : names) {
    if (count == kMaxEntries) break;
    const auto entry = EntryJson(directory.get(), name);
    if (!entry.has_value()) continue;
    absl::StrAppend(&entries, count++ > 0 ? "," : "", *entry);
  }
  const bool writable =
      faccessat(directory.get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
  return absl::StrCat(
      "{\"path\":", Shown(path), ",\"writable\":", writable ? "true" : "false",
      ",\"truncated\":", names.size() > kMaxEntries ? "true" : "false",
      ",\"entries\":[", entries, "]}");
}

absl::StatusOr<std::string> SearchJson(const std::string& path,
                                       std::string_view name) {
  if (name.empty()) {
    return FileError(kBadRequest, "parameter \"name\": expected a text");
  }
  ASSIGN_OR_RETURN(const UniqueFd directory, OpenDirectory(path));
  FileSearch search(name);
  search.Directory(directory, path, 0);
  return search.Json();
}

}  // namespace carme::files
