// Writes the files from which Apptainer builds an image with further packages.
// REQUIRES, of all functions: the plan is one that CheckJobPlan accepted.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_RECIPE_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_RECIPE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "carme/v1/image_recipe.pb.h"

namespace carme::agent {

// The directory beside the definition in which it expects the unpacked base.
inline constexpr char kRecipeBase[] = "base";

struct RecipeFile {
  std::string name;
  std::string text;
};

// The definition, which is the first, and the files that it copies into the
// image. Names of packages and addresses are only in the latter, which package
// managers read: the shell text of the definition is constant.
std::vector<RecipeFile> RecipeFiles(const v1::ImageRecipePlan& plan);

// Writes these files to the new directory `directory`, and returns the path of
// the definition. The build must run in that directory. Errors of mkdir(2) and
// of writing.
absl::StatusOr<std::string> WriteRecipe(const v1::ImageRecipePlan& plan,
                                        const std::string& directory);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_RECIPE_H_
