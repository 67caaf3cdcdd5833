// Configuration of environments on a node (environment.toml). Everything has a
// default, so that sites that use only environments need no file.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::mount {

inline constexpr std::string_view kMountConfigPath =
    "/etc/carme/environment.toml";

// An image of the site's catalogue, with the same names as in backend.toml and
// the portal.
struct StoreImage {
  std::string id;  // "NAME:VERSION"
  std::string path;

  friend bool operator==(const StoreImage&, const StoreImage&) = default;
};

struct MountConfig {
  // Absolute paths of directories whose images the kernel may mount. Each must
  // belong, with all directories above it, to root, or itself and its content
  // to one service account, and be writable by that owner only.
  std::vector<std::string> images = {"/var/lib/carme/images"};
  // The images of `store#NAME[:VERSION]`, in addition to files in `images`.
  // Without a version, the first with that name.
  std::vector<StoreImage> store = {};
  // Whether users may use their own image files. The kernel parses none of
  // them: an unprivileged process does.
  bool user_images = true;
  // Patterns of glob(7) in /dev: environments contain those devices that the
  // job may open.
  std::vector<std::string> devices = {"/dev/infiniband/*", "/dev/nvidia*",
                                      "/dev/nvidia-caps/*", "/dev/kfd",
                                      "/dev/dri/render*"};
  // Patterns of glob(7), with {a,b}: files of the node's NVIDIA driver that
  // `devices = ["nvidia.com/gpu=all"]` adds to an environment.
  std::vector<std::string> nvidia_driver = {
      "/usr/bin/nvidia-{smi,debugdump,cuda-mps-control,cuda-mps-server}",
      "/usr/{lib64,lib/x86_64-linux-gnu,lib/aarch64-linux-gnu}/"
      "lib{cuda,cudadebugger,nvcuvid,nvoptix,nvidia-*}.so.*"};
};

// A missing file means the defaults. PERMISSION_DENIED; INVALID_ARGUMENT with
// all errors and their lines.
absl::StatusOr<MountConfig> LoadMountConfig(const std::string& path);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_
