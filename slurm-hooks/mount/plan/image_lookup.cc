#include "slurm-hooks/mount/plan/image_lookup.h"

#include <pwd.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "slurm-hooks/mount/plan/messages.h"

namespace carme::mount {
namespace {

std::string FileName(const EdfImage& image) {
  std::string name;
  if (!image.registry.empty()) absl::StrAppend(&name, image.registry, "+");
  absl::StrAppend(&name, image.name);
  if (!image.tag.empty()) {
    absl::StrAppend(&name, "+", image.tag);
  } else if (image.kind == EdfImage::Kind::kRegistry) {
    absl::StrAppend(&name, "+latest");
  }
  return absl::StrReplaceAll(name, {{"/", "+"}});
}

// Empty: the configuration lists no such image.
std::string ListedPath(const EdfImage& image,
                       const std::vector<StoreImage>& store) {
  const std::string id = absl::StrCat(image.name, ":", image.tag);
  for (const StoreImage& listed : store) {
    if (image.tag.empty() ? listed.id.starts_with(id) : listed.id == id) {
      return listed.path;
    }
  }
  return "";
}

// Where Carme's jobs build the images of a user; empty: it is not the owner's.
std::string OwnPath(const EdfImage& image, const ImageOwner& owner) {
  absl::string_view name = image.name;
  if (owner.username.empty() || owner.home.empty() || image.tag.empty() ||
      !absl::ConsumePrefix(&name, absl::StrCat(owner.username, "/"))) {
    return "";
  }
  return absl::StrCat(owner.home, "/carme-images/", name, "@", image.tag,
                      ".sif");
}

absl::Status NotListed(const EdfImage& image, const std::string& own_path) {
  if (own_path.empty()) {
    return MakePlainError(mount_plan_messages::kImageUnknown,
                          {{"image", ImageText(image)}});
  }
  return MakePlainError(mount_plan_messages::kImageUnknownToUser,
                        {{"image", ImageText(image)}, {"path", own_path}});
}

// The first file of that name in the site's directories; empty: none.
std::string ImportedPath(const std::string& name,
                         const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    for (const char* const ending : {".sqsh", ".squashfs", ".sif"}) {
      std::string path = absl::StrCat(directory, "/", name, ending);
      if (access(path.c_str(), R_OK) == 0) return path;
    }
  }
  return "";
}

}  // namespace

ImageOwner CurrentImageOwner() {
  const passwd* const entry = getpwuid(getuid());
  if (entry == nullptr) return {};
  return {.username = entry->pw_name, .home = entry->pw_dir};
}

absl::StatusOr<std::string> FindImage(const EdfImage& image,
                                      const MountConfig& config,
                                      const ImageOwner& owner) {
  if (image.kind == EdfImage::Kind::kPath) return image.path;
  if (!image.digest.empty()) {
    return MakePlainError(mount_plan_messages::kImageByDigest,
                          {{"image", ImageText(image)}});
  }
  const bool store = image.kind == EdfImage::Kind::kStore;
  std::string path = store ? ListedPath(image, config.store) : "";
  if (!path.empty()) return path;
  const std::string name = FileName(image);
  path = ImportedPath(name, config.images);
  if (!path.empty()) return path;
  if (store) {
    path = OwnPath(image, owner);
    if (!path.empty() && access(path.c_str(), R_OK) == 0) return path;
    return NotListed(image, path);
  }
  return MakePlainError(
      mount_plan_messages::kImageNotOnNode,
      {{"image", ImageText(image)},
       {"name", name},
       {"directories", absl::StrJoin(config.images, "\" or \"")}});
}

}  // namespace carme::mount
