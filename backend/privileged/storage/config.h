// The configuration of the storage reader, storage-reader.toml: its policy, its
// limits and the areas that users are shown.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/authz/policy.h"

namespace carme::storage_reader {

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

struct StorageReaderConfig {
  // Path of the unix socket. Ignored if the socket is inherited (LISTEN_FDS).
  std::string socket = "/run/carme-storage-reader/socket";
  // The only user whose processes are served: the backend's.
  std::string peer_user;
  PrivilegedPolicy policy;
  // Concurrent readings; 1 to 64. More connections wait in the socket's queue.
  int max_readings = 4;
  // Readings a minute of all users; 1 to 100,000. One user gets at most a
  // quarter.
  int readings_per_minute = 1200;
  StorageConfig storage;
};

// NOT_FOUND, PERMISSION_DENIED: the file cannot be read. INVALID_ARGUMENT: all
// errors in it, one a line. FAILED_PRECONDITION: users other than root can
// write the file.
absl::StatusOr<StorageReaderConfig> LoadStorageReaderConfig(
    const std::string& path);

// Without the check of the file's owner; for tests.
absl::StatusOr<StorageReaderConfig> ParseStorageReaderConfig(
    const std::string& text, const std::string& path);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_CONFIG_H_
