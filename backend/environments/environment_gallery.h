// What a user can begin an environment with: the site's templates, and images
// with further packages.
#ifndef CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_GALLERY_H_
#define CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_GALLERY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/environments_config.h"
#include "backend/identity/session.h"
#include "backend/images/image_record.h"
#include "backend/images/usable_images.h"
#include "carme/v1/environment_gallery.pb.h"
#include "carme/v1/image_recipe.pb.h"

namespace carme::backend {

// FAILED_PRECONDITION: the recipe has packages of a kind that the site does not
// allow.
absl::Status CheckSources(const PackageSources& sources,
                          const v1::ImageRecipe& recipe);

// Thread-safe.
class EnvironmentGallery {
 public:
  // `images` must outlive this.
  EnvironmentGallery(UsableImages* images, const EnvironmentsConfig& config)
      : images_(*images), config_(config) {}

  // The ids of the images that this user can add packages to, the default
  // first: complete ones of the site, and the user's own. May block, as
  // UsableImages.
  std::vector<std::string> BaseImages(const Session& caller);

  // All templates, with image and problem for a user with these base images;
  // none if environments are not offered.
  std::vector<v1::EnvironmentTemplate> TemplatesFor(
      const std::vector<std::string>& base_images) const;

  bool pip_allowed() const { return !config_.packages.pip_index_url.empty(); }
  bool conda_allowed() const {
    return !config_.packages.conda_channel_url.empty();
  }

  // The image that a job is to build, whose id has no version yet: "ada/torch".
  // INVALID_ARGUMENT: name or packages; NOT_FOUND: no such template;
  // FAILED_PRECONDITION: not offered, not allowed, or the base cannot be used.
  absl::StatusOr<ImageRecord> MakeImage(
      const Session& caller, const v1::BuildEnvironmentImageRequest& request);

 private:
  std::vector<Image> BasesOf(const Session& caller);
  absl::StatusOr<v1::ImageRecipe> MakeRecipe(
      const v1::BuildEnvironmentImageRequest& request) const;

  UsableImages& images_;
  const EnvironmentsConfig config_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_ENVIRONMENT_GALLERY_H_
