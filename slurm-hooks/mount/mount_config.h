// What a node is told about environments, by environment.toml. Everything has
// a default, so that a site without Carme's other parts needs no file.
#ifndef CARME_SLURM_HOOKS_MOUNT_MOUNT_CONFIG_H_
#define CARME_SLURM_HOOKS_MOUNT_MOUNT_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::mount {

inline constexpr std::string_view kMountConfigPath =
    "/etc/carme/environment.toml";

struct MountConfig {
  // Absolute paths of directories whose images the kernel may mount: each
  // belongs, with all directories above it, to root, or itself and its content
  // to one service account, and nobody else can write there.
  std::vector<std::string> images = {"/var/lib/carme/images"};
  // Whether users may bring image files of their own. The kernel reads none of
  // them: a process without rights does.
  bool own_images = true;
  // Patterns of glob(7) in /dev. What the job may open of it is in its
  // environments.
  std::vector<std::string> devices = {"/dev/infiniband/*", "/dev/nvidia*",
                                      "/dev/nvidia-caps/*", "/dev/kfd",
                                      "/dev/dri/render*"};
};

// A file that is not there is the defaults. PERMISSION_DENIED;
// INVALID_ARGUMENT with every error and its line.
absl::StatusOr<MountConfig> LoadMountConfig(const std::string& path);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_MOUNT_CONFIG_H_
