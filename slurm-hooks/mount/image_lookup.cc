#include "slurm-hooks/mount/image_lookup.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

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

}  // namespace

absl::StatusOr<std::string> FindImage(
    const EdfImage& image, const std::vector<std::string>& directories) {
  if (image.kind == EdfImage::Kind::kPath) return image.path;
  if (!image.digest.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("image \"", ImageText(image),
                     "\" is named by its digest, and nodes fetch no images: "
                     "expected the name of one that the site has imported"));
  }
  const std::string name = FileName(image);
  for (const std::string& directory : directories) {
    for (const char* const ending : {".sqsh", ".squashfs", ".sif"}) {
      std::string path = absl::StrCat(directory, "/", name, ending);
      if (access(path.c_str(), R_OK) == 0) return path;
    }
  }
  return absl::NotFoundError(absl::StrCat(
      "image \"", ImageText(image),
      "\" is not on this node, and nodes fetch "
      "no images: expected \"",
      name, ".sqsh\" in \"", absl::StrJoin(directories, "\" or \""),
      "\", or one that you have pulled (carme edf pull)"));
}

}  // namespace carme::mount
