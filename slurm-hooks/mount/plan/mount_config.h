// What a node is told about environments, by environment.toml. Everything has
// a default, so that a site without Carme's other parts needs no file.
#ifndef CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_
#define CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::mount {

inline constexpr std::string_view kMountConfigPath =
    "/etc/carme/environment.toml";

// An image of the site's catalogue, as backend.toml and the page name it.
struct StoreImage {
  std::string id;  // "NAME:VERSION"
  std::string path;

  friend bool operator==(const StoreImage&, const StoreImage&) = default;
};

struct MountConfig {
  // Absolute paths of directories whose images the kernel may mount: each
  // belongs, with all directories above it, to root, or itself and its content
  // to one service account, and nobody else can write there.
  std::vector<std::string> images = {"/var/lib/carme/images"};
  // What `store#NAME[:VERSION]` may name, beside files in `images`. Without a
  // version, the first of that name.
  std::vector<StoreImage> store = {};
  // Whether users may bring image files of their own. The kernel reads none of
  // them: a process without rights does.
  bool own_images = true;
  // Patterns of glob(7) in /dev. What the job may open of it is in its
  // environments.
  std::vector<std::string> devices = {"/dev/infiniband/*", "/dev/nvidia*",
                                      "/dev/nvidia-caps/*", "/dev/kfd",
                                      "/dev/dri/render*"};
  // Patterns of glob(7), with {a,b}: the files of the node's NVIDIA driver that
  // `devices = ["nvidia.com/gpu=all"]` brings into an environment.
  std::vector<std::string> nvidia_driver = {
      "/usr/bin/nvidia-{smi,debugdump,cuda-mps-control,cuda-mps-server}",
      "/usr/{lib64,lib/x86_64-linux-gnu,lib/aarch64-linux-gnu}/"
      "lib{cuda,cudadebugger,nvcuvid,nvoptix,nvidia-*}.so.*"};
};

// A file that is not there is the defaults. PERMISSION_DENIED;
// INVALID_ARGUMENT with every error and its line.
absl::StatusOr<MountConfig> LoadMountConfig(const std::string& path);

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_PLAN_MOUNT_CONFIG_H_
