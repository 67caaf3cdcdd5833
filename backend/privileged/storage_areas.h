// The configuration's areas as they are for one user.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/privileged/account.h"
#include "backend/privileged/storage_config.h"

namespace carme::impersonator {

// Whose storage it is, with the names of groups that areas are about.
struct StorageUser {
  Account account;
  std::vector<NamedGroup> groups;
};

// As the actor tells it to the reader. Both are ours, so that what cannot be
// decoded is a fault: INTERNAL.
std::string EncodeStorageUser(const StorageUser& user);
absl::StatusOr<StorageUser> DecodeStorageUser(std::string_view bytes);

struct AreaToRead {
  std::string name = {};
  std::string path = {};
  StorageAreaConfig::Kind kind = StorageAreaConfig::Kind::kQuota;
  std::vector<std::string> command = {};
  StorageAreaConfig::Format format = StorageAreaConfig::Format::kPlain;
  // Whose figures: a group's, which may well have nothing there, or the user's.
  bool of_group = false;
  uint32_t id = 0;
};

// Groups in the order of their names. At most kMostStorageAreas.
std::vector<AreaToRead> AreasOf(const StorageConfig& config,
                                const StorageUser& user);

// Some area is about groups: their names are needed.
bool AsksForGroups(const StorageConfig& config);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_AREAS_H_
