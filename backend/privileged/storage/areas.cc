#include "backend/privileged/storage/areas.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/privileged/protocol/request_fields.h"

namespace carme::storage_reader {
namespace {

// Numbers in host byte order; strings after their lengths.
void Put(uint32_t number, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof number);
}

void Put(std::string_view text, std::string* bytes) {
  Put(static_cast<uint32_t>(text.size()), bytes);
  bytes->append(text);
}

// Reads from the front; fails permanently at the first error.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}
  uint32_t Number() {
    uint32_t number = 0;
    const std::string_view raw = Raw(sizeof number);
    if (ok_) std::memcpy(&number, raw.data(), sizeof number);
    return number;
  }
  std::string Text() { return std::string(Raw(Number())); }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view Raw(size_t length) {
    ok_ = ok_ && length <= bytes_.size();
    if (!ok_) return "";
    const std::string_view raw = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return raw;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

std::string Fill(const std::string& text, const StorageUser& user,
                 const NamedGroup& group) {
  return absl::StrReplaceAll(text, {{"{user}", user.account.name},
                                    {"{uid}", absl::StrCat(user.account.uid)},
                                    {"{home}", user.account.home},
                                    {"{group}", group.name},
                                    {"{gid}", absl::StrCat(group.gid)}});
}

AreaToRead AreaFor(const StorageAreaConfig& config, const StorageUser& user,
                   const NamedGroup& group) {
  AreaToRead area{.name = Fill(config.name, user, group),
                  .path = Fill(config.path, user, group),
                  .kind = config.kind,
                  .command = {},
                  .format = config.format,
                  .of_group = !config.group_prefix.empty()};
  area.id = area.of_group ? group.gid : user.account.uid;
  for (const std::string& word : config.command) {
    area.command.push_back(Fill(word, user, group));
  }
  return area;
}

}  // namespace

std::string EncodeStorageUser(const StorageUser& user) {
  std::string bytes;
  Put(user.account.uid, &bytes);
  Put(user.account.gid, &bytes);
  Put(user.account.name, &bytes);
  Put(user.account.home, &bytes);
  Put(static_cast<uint32_t>(user.account.groups.size()), &bytes);
  for (const gid_t gid : user.account.groups) Put(gid, &bytes);
  Put(static_cast<uint32_t>(user.groups.size()), &bytes);
  for (const NamedGroup& group : user.groups) {
    Put(group.gid, &bytes);
    Put(group.name, &bytes);
  }
  return bytes;
}

absl::StatusOr<StorageUser> DecodeStorageUser(std::string_view bytes) {
  Decoder decoder(bytes);
  StorageUser user;
  user.account.uid = decoder.Number();
  user.account.gid = decoder.Number();
  user.account.name = decoder.Text();
  user.account.home = decoder.Text();
  for (uint32_t left = decoder.Number(); left > 0 && decoder.ok(); --left) {
    user.account.groups.push_back(decoder.Number());
  }
  for (uint32_t left = decoder.Number(); left > 0 && decoder.ok(); --left) {
    const gid_t gid = decoder.Number();
    user.groups.push_back({.gid = gid, .name = decoder.Text()});
  }
  if (!decoder.done()) return absl::InternalError("truncated storage user");
  return user;
}

std::vector<AreaToRead> AreasFor(const StorageConfig& config,
                                 const StorageUser& user) {
  std::vector<NamedGroup> groups = user.groups;
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<AreaToRead> areas;
  for (const StorageAreaConfig& area : config.areas) {
    if (area.group_prefix.empty()) {
      areas.push_back(AreaFor(area, user, {}));
      continue;
    }
    for (const NamedGroup& group : groups) {
      // The name becomes part of a path and of program arguments.
      if (IsUserName(group.name) && group.name.starts_with(area.group_prefix)) {
        areas.push_back(AreaFor(area, user, group));
      }
    }
  }
  if (areas.size() > kMaxStorageAreas) areas.resize(kMaxStorageAreas);
  return areas;
}

bool NeedsGroups(const StorageConfig& config) {
  return std::any_of(
      config.areas.begin(), config.areas.end(),
      [](const auto& area) { return !area.group_prefix.empty(); });
}

}  // namespace carme::storage_reader
