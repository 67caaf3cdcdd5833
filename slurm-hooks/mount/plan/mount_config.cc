#include "slurm-hooks/mount/plan/mount_config.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/config/config.h"
#include "common/status.h"

namespace carme::mount {
namespace {

void CheckEach(ConfigTable root, const char* key,
               const std::vector<std::string>& paths, const char* begin) {
  for (const std::string& path : paths) {
    if (path.starts_with(begin) && path.size() > std::string_view(begin).size())
      continue;
    root.Refuse(key, absl::StrCat("\"", path, "\": expected a path below \"",
                                  begin, "\""));
  }
}

}  // namespace

absl::StatusOr<MountConfig> LoadMountConfig(const std::string& path) {
  MountConfig config;
  absl::StatusOr<ConfigFile> file = ConfigFile::Load(path);
  if (absl::IsNotFound(file.status())) return config;
  RETURN_IF_ERROR(file.status());
  ConfigTable root = file->root();
  root.Read("images", &config.images);
  root.Read("user_images", &config.user_images);
  root.Read("devices", &config.devices);
  root.Read("nvidia_driver", &config.nvidia_driver);
  for (ConfigTable table : root.Tables("store")) {
    StoreImage image;
    table.Read("id", &image.id, {.required = true});
    table.Read("path", &image.path, {.required = true});
    if (!image.path.empty() && image.path[0] != '/') {
      table.Refuse("path", "expected an absolute path");
    }
    config.store.push_back(std::move(image));
  }
  CheckEach(root, "images", config.images, "/");
  CheckEach(root, "devices", config.devices, "/dev/");
  CheckEach(root, "nvidia_driver", config.nvidia_driver, "/");
  RETURN_IF_ERROR(file->Finish());
  return config;
}

}  // namespace carme::mount
