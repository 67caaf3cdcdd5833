// The storage areas that users are shown, from [[storage]] in
// impersonator.toml.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_STORAGE_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_STORAGE_CONFIG_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::impersonator {

inline constexpr size_t kMaxStorageAreas = 16;

struct StorageAreaConfig {
  enum class Kind {
    kQuota,       // the kernel's quota of the user, or of a group
    kFilesystem,  // the usage of the whole file system
    kCommand,     // the output of a program of the site
  };
  enum class Format { kPlain, kBeegfs };  // of that program's output
  // Name, path and arguments may contain {user}, {uid}, {home}, {group}, {gid}.
  std::string name = {};  // shown to users: "Home"
  std::string path = {};  // absolute
  Kind kind = Kind::kQuota;
  std::vector<std::string> command = {};  // a program and its arguments
  Format format = Format::kPlain;
  // If not empty, the area stands for each of the user's groups whose name has
  // this prefix.
  std::string group_prefix = {};
};

struct StorageConfig {
  std::vector<StorageAreaConfig> areas = {};  // in display order
  // Time limit of an area; 1 to 60 s. All areas are read in parallel.
  absl::Duration timeout = absl::Seconds(5);
};

// Reads `storage_timeout_s` and the tables [[storage]] of `root`; errors are
// reported by the file's Finish().
StorageConfig ReadStorageConfig(ConfigTable root);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_AUTHZ_STORAGE_CONFIG_H_
