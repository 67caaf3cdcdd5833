#include "backend/environments/environment_gallery.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/environments/environment_name.h"
#include "backend/environments/messages.h"
#include "common/edf/problem.h"
#include "common/packages/package_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

using PackageList = google::protobuf::RepeatedPtrField<std::string>;

constexpr size_t kMaxDescriptionBytes = 200;

template <typename Rule>
absl::Status CheckPackages(const PackageList& packages, Rule rule) {
  if (packages.size() > static_cast<int>(kMaxPackages)) {
    return MakeError(environment_messages::kTooManyPackages,
                     {{"packages", packages.size()}, {"max", kMaxPackages}});
  }
  for (const std::string& package : packages) {
    if (rule(package)) continue;
    return MakeError(environment_messages::kInvalidPackage,
                     {{"package", Quoted(package)}});
  }
  return absl::OkStatus();
}

absl::Status NotAllowed(const char* kind) {
  return MakeError(environment_messages::kPackagesNotAllowed, {{"kind", kind}});
}

bool Has(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Shown in the catalogue of images.
std::string DescriptionOf(const v1::ImageRecipe& recipe) {
  std::vector<std::string> packages;
  for (const PackageList* list :
       {&recipe.debian_packages(), &recipe.pip_packages(),
        &recipe.conda_packages()}) {
    packages.insert(packages.end(), list->begin(), list->end());
  }
  return absl::StrCat(recipe.base(), " + ", absl::StrJoin(packages, ", "))
      .substr(0, kMaxDescriptionBytes);
}

}  // namespace

absl::Status CheckSources(const PackageSources& sources,
                          const v1::ImageRecipe& recipe) {
  if (!recipe.debian_packages().empty() && sources.debian_mirror_url.empty()) {
    return NotAllowed("Debian");
  }
  if (!recipe.pip_packages().empty() && sources.pip_index_url.empty()) {
    return NotAllowed("pip");
  }
  if (!recipe.conda_packages().empty() && sources.conda_channel_url.empty()) {
    return NotAllowed("conda");
  }
  return absl::OkStatus();
}

// Another user's image is not built upon: its owner could change the file while
// it is read.
std::vector<Image> EnvironmentGallery::BasesOf(const Session& caller) {
  std::vector<Image> images = images_.UsableBy(PersonOf(caller));
  std::erase_if(images, [&](const Image& image) {
    const bool anothers = !image.owner.empty() && image.owner_uid != caller.uid;
    return image.id == kNoImage || anothers || image.sha256.empty();
  });
  return images;
}

std::vector<std::string> EnvironmentGallery::BaseImages(const Session& caller) {
  std::vector<std::string> ids;
  for (const Image& image : BasesOf(caller)) ids.push_back(image.id);
  return ids;
}

std::vector<v1::EnvironmentTemplate> EnvironmentGallery::TemplatesFor(
    const std::vector<std::string>& base_images) const {
  if (!config_.offered) return {};
  std::vector<v1::EnvironmentTemplate> templates = config_.templates;
  const PackageSources& sources = config_.packages;
  for (v1::EnvironmentTemplate& one : templates) {
    if (one.image().empty() && !base_images.empty()) {
      one.set_image(base_images.front());
    }
    if (!Has(base_images, one.image())) {
      one.set_problem(v1::ENVIRONMENT_TEMPLATE_PROBLEM_IMAGE_NOT_USABLE);
    } else if (!one.debian_packages().empty() &&
               sources.debian_mirror_url.empty()) {
      one.set_problem(v1::ENVIRONMENT_TEMPLATE_PROBLEM_DEBIAN_NOT_ALLOWED);
    } else if (!one.pip_packages().empty() && !pip_allowed()) {
      one.set_problem(v1::ENVIRONMENT_TEMPLATE_PROBLEM_PIP_NOT_ALLOWED);
    } else if (!one.conda_packages().empty() && !conda_allowed()) {
      one.set_problem(v1::ENVIRONMENT_TEMPLATE_PROBLEM_CONDA_NOT_ALLOWED);
    }
  }
  return templates;
}

// Without base, unless the request or the template has one.
absl::StatusOr<v1::ImageRecipe> EnvironmentGallery::MakeRecipe(
    const v1::BuildEnvironmentImageRequest& request) const {
  RETURN_IF_ERROR(CheckPackages(request.pip_packages(), IsPipPackage));
  RETURN_IF_ERROR(CheckPackages(request.conda_packages(), IsCondaPackage));
  v1::ImageRecipe recipe;
  recipe.set_base(request.base_image());
  *recipe.mutable_pip_packages() = request.pip_packages();
  *recipe.mutable_conda_packages() = request.conda_packages();
  if (!request.template_id().empty()) {
    const auto found =
        std::find_if(config_.templates.begin(), config_.templates.end(),
                     [&](const v1::EnvironmentTemplate& one) {
                       return one.id() == request.template_id();
                     });
    if (found == config_.templates.end()) {
      return MakeError(environment_messages::kTemplateNotFound);
    }
    *recipe.mutable_debian_packages() = found->debian_packages();
    if (recipe.base().empty()) recipe.set_base(found->image());
  }
  RETURN_IF_ERROR(CheckSources(config_.packages, recipe));
  if (recipe.debian_packages().empty() && recipe.pip_packages().empty() &&
      recipe.conda_packages().empty()) {
    return MakeError(environment_messages::kNoPackages);
  }
  return recipe;
}

absl::StatusOr<ImageRecord> EnvironmentGallery::MakeImage(
    const Session& caller, const v1::BuildEnvironmentImageRequest& request) {
  if (!config_.offered) return MakeError(environment_messages::kNotOffered);
  RETURN_IF_ERROR(CheckEnvironmentName(request.name()));
  ImageRecord record;
  ASSIGN_OR_RETURN(record.recipe, MakeRecipe(request));
  const std::vector<Image> bases = BasesOf(caller);
  const auto base =
      record.recipe.base().empty()
          ? bases.begin()
          : std::find_if(bases.begin(), bases.end(), [&](const Image& image) {
              return image.id == record.recipe.base();
            });
  if (base == bases.end()) {
    return MakeError(environment_messages::kBaseImageNotUsable,
                     {{"image", Quoted(record.recipe.base())}});
  }
  record.recipe.set_base(base->id);
  record.image.id = absl::StrCat(caller.username, "/", request.name());
  record.image.owner = caller.username;
  record.image.owner_uid = caller.uid;
  record.image.description = DescriptionOf(record.recipe);
  record.image.apps = base->apps;
  record.image.driver = base->driver;
  record.image.cuda = base->cuda;
  record.state = v1::IMAGE_STATE_BUILDING;
  record.source = v1::IMAGE_SOURCE_DEFINITION;
  return record;
}

}  // namespace carme::backend
