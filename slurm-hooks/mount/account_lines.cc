#include "slurm-hooks/mount/account_lines.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace carme::mount {
namespace {

constexpr size_t kMostGroups = 64;  // each may be a question to the directory

// A field cannot have a colon or a line's end.
std::string Field(const char* text) {
  std::string field = text == nullptr ? "" : text;
  std::erase_if(field, [](char c) {
    return c == ':' || static_cast<unsigned char>(c) < 0x20;
  });
  return field;
}

}  // namespace

std::string OwnPasswdLine() {
  const passwd* const entry = getpwuid(getuid());
  if (entry == nullptr) return "";
  return absl::StrCat(Field(entry->pw_name), ":x:", entry->pw_uid, ":",
                      entry->pw_gid, ":", Field(entry->pw_gecos), ":",
                      Field(entry->pw_dir), ":", Field(entry->pw_shell), "\n");
}

std::string OwnGroupLines() {
  std::vector<gid_t> ids(65536);
  const int count = getgroups(static_cast<int>(ids.size()), ids.data());
  ids.resize(std::max(count, 0));
  ids.insert(ids.begin(), getgid());
  std::set<gid_t> told;
  std::string lines;
  for (const gid_t id : ids) {
    if (told.size() == kMostGroups) break;
    if (!told.insert(id).second) continue;
    const group* const entry = getgrgid(id);
    if (entry == nullptr) continue;
    absl::StrAppend(&lines, Field(entry->gr_name), ":x:", id, ":\n");
  }
  return lines;
}

}  // namespace carme::mount
