// The storage areas of the configuration, resolved for one user.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/storage/config.h"

namespace carme::storage_reader {

// Whose storage to read, with the names of the groups that areas need.
struct StorageUser {
  Account account;
  std::vector<NamedGroup> groups;
};

// The message from the storage executor to the reader. INTERNAL: invalid, which
// is a bug, because both ends are this program's.
std::string EncodeStorageUser(const StorageUser& user);
absl::StatusOr<StorageUser> DecodeStorageUser(std::string_view bytes);

struct AreaToRead {
  std::string name = {};
  std::string path = {};
  StorageAreaConfig::Kind kind = StorageAreaConfig::Kind::kQuota;
  std::vector<std::string> command = {};
  StorageAreaConfig::Format format = StorageAreaConfig::Format::kPlain;
  // Whose figures: a group's, which may have no directory there, or the user's.
  bool of_group = false;
  uint32_t id = 0;
};

// Groups are sorted by name. At most kMaxStorageAreas.
std::vector<AreaToRead> AreasFor(const StorageConfig& config,
                                 const StorageUser& user);

// Whether an area is about groups, so that their names are needed.
bool NeedsGroups(const StorageConfig& config);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_
