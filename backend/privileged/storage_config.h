// Which areas of storage people are shown, as impersonator.toml lists them.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/config.h"

namespace carme::impersonator {

inline constexpr size_t kMostStorageAreas = 16;

struct StorageAreaConfig {
  enum class Kind {
    kQuota,       // what the kernel keeps for the user, or for a group
    kFilesystem,  // how full the file system is, for all who use it
    kCommand,     // what a program of the site's says
  };
  enum class Format { kPlain, kBeegfs };  // of that program's output
  // Name, path and arguments may hold {user}, {uid}, {home}, {group}, {gid}.
  std::string name = {};  // what people read: "Home"
  std::string path = {};  // absolute
  Kind kind = Kind::kQuota;
  std::vector<std::string> command = {};  // a program, then its arguments
  Format format = Format::kPlain;
  // Not empty: the area stands for each group of the user whose name begins so.
  std::string group_prefix = {};
};

struct StorageConfig {
  std::vector<StorageAreaConfig> areas = {};  // in the order they are shown in
  // How long an area may take; 1 to 60 s. All are read at the same time.
  absl::Duration timeout = absl::Seconds(5);
};

// Reads `storage_timeout_s` and the tables [[storage]] of `root`; errors appear
// in the file's Finish().
StorageConfig ReadStorageConfig(ConfigTable root);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_
