#include "slurm-hooks/agent/environment/image_recipe.h"

#include <sys/stat.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::agent {
namespace {

using PackageList = google::protobuf::RepeatedPtrField<std::string>;

constexpr char kDefinitionName[] = "image.def";
// Where the image has the lists that it was built from.
constexpr char kListsInImage[] = "/.carme/packages";

// Of a user namespace with one user: apt must not change to its own.
constexpr char kInstallDebian[] = R"sh(
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o APT::Sandbox::User=root update
    xargs apt-get -o APT::Sandbox::User=root install --yes \
        --no-install-recommends -- < /.carme/packages/debian.txt
    apt-get clean
    rm -rf /var/lib/apt/lists/*
)sh";
// Isolated: settings of the build's environment and user are not read. Debian
// marks its Python as managed by packages, which an image's /usr/local is not.
constexpr char kInstallPip[] = R"sh(
    python3 -m pip --isolated install --no-input --no-cache-dir \
        --root-user-action=ignore --break-system-packages \
        --requirement /.carme/packages/pip.txt
)sh";
// The kernel makes the packages available in notebooks.
constexpr char kInstallConda[] = R"sh(
    micromamba create --no-rc --yes --root-prefix /opt/micromamba \
        --prefix /opt/conda --file /.carme/packages/conda.yml
    rm -rf /opt/micromamba
    /opt/conda/bin/python -m ipykernel install --prefix /usr/local \
        --name conda --display-name "Python (conda)"
)sh";

std::string Lines(const PackageList& packages) {
  std::string lines;
  for (const std::string& package : packages) {
    absl::StrAppend(&lines, package, "\n");
  }
  return lines;
}

std::string DebianSources(const v1::ImageRecipePlan& plan) {
  return absl::StrCat(
      "Types: deb\nURIs: ", plan.debian_mirror_url(),
      "\nSuites: ", plan.debian_suite(),
      "\nComponents: main\n"
      "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n");
}

std::string CondaEnvironment(const v1::ImageRecipePlan& plan) {
  std::string text = absl::StrCat("channels:\n  - \"", plan.conda_channel_url(),
                                  "\"\ndependencies:\n  - \"ipykernel\"\n");
  for (const std::string& package : plan.recipe().conda_packages()) {
    absl::StrAppend(&text, "  - \"", package, "\"\n");
  }
  return text;
}

}  // namespace

std::vector<RecipeFile> RecipeFiles(const v1::ImageRecipePlan& plan) {
  const v1::ImageRecipe& recipe = plan.recipe();
  std::vector<RecipeFile> files = {{kDefinitionName, ""}};
  std::string copied;
  std::string post;
  std::string environment;
  const auto add = [&](const char* name, std::string text) {
    absl::StrAppend(&copied, "    ", name, " ", kListsInImage, "/", name, "\n");
    files.push_back({name, std::move(text)});
  };
  if (!recipe.debian_packages().empty()) {
    add("debian.txt", Lines(recipe.debian_packages()));
    absl::StrAppend(
        &copied, "    carme.sources /etc/apt/sources.list.d/carme.sources\n");
    files.push_back({"carme.sources", DebianSources(plan)});
    absl::StrAppend(&post, kInstallDebian);
  }
  if (!recipe.pip_packages().empty()) {
    add("pip.txt", absl::StrCat("--index-url ", plan.pip_index_url(), "\n",
                                Lines(recipe.pip_packages())));
    absl::StrAppend(&post, kInstallPip);
  }
  if (!recipe.conda_packages().empty()) {
    add("conda.yml", CondaEnvironment(plan));
    absl::StrAppend(&copied, "    ", plan.micromamba(),
                    " /usr/local/bin/micromamba\n");
    absl::StrAppend(&post, kInstallConda);
    environment = "\n%environment\n    export PATH=\"/opt/conda/bin:$PATH\"\n";
  }
  files[0].text =
      absl::StrCat("Bootstrap: localimage\nFrom: ", kRecipeBase, "\n\n%files\n",
                   copied, "\n%post\n    set -e", post, environment);
  return files;
}

absl::StatusOr<std::string> WriteRecipe(const v1::ImageRecipePlan& plan,
                                        const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0) {
    return ErrnoError(errno, absl::StrCat("make \"", directory, "\""));
  }
  for (const RecipeFile& file : RecipeFiles(plan)) {
    RETURN_IF_ERROR(
        WriteFile(absl::StrCat(directory, "/", file.name), file.text, 0644));
  }
  return absl::StrCat(directory, "/", kDefinitionName);
}

}  // namespace carme::agent
