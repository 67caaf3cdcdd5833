#include "slurm-hooks/agent/environment/image_recipe.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

v1::ImageRecipePlan Plan() {
  v1::ImageRecipePlan plan;
  plan.mutable_recipe()->set_base("base:1");
  plan.set_base_path("/images/base.sif");
  plan.set_base_sha256(std::string(64, 'a'));
  plan.set_debian_mirror_url("http://deb.example/debian");
  plan.set_debian_suite("trixie");
  plan.set_pip_index_url("https://pip.example/simple");
  plan.set_conda_channel_url("https://conda.example/forge");
  plan.set_micromamba("/opt/micromamba");
  return plan;
}

std::string TextOf(const v1::ImageRecipePlan& plan, const std::string& name) {
  for (const RecipeFile& file : RecipeFiles(plan)) {
    if (file.name == name) return file.text;
  }
  return "";
}

TEST_CASE("image recipe: no package and no address is in the shell text",
          "[agent]") {
  v1::ImageRecipePlan plan = Plan();
  plan.mutable_recipe()->add_debian_packages("r-base-core");
  plan.mutable_recipe()->add_pip_packages("jax[cuda12]>=0.5");
  plan.mutable_recipe()->add_conda_packages("numpy>=2");
  const std::string definition = TextOf(plan, "image.def");
  for (const char* value : {"r-base-core", "jax", "numpy", "deb.example",
                            "pip.example", "conda.example", "trixie"}) {
    INFO(value);
    CHECK_THAT(definition, !Catch::Contains(value));
  }
  CHECK_THAT(definition, Catch::Contains("From: base\n"));
}

TEST_CASE("image recipe: package managers read one package a line", "[agent]") {
  v1::ImageRecipePlan plan = Plan();
  plan.mutable_recipe()->add_debian_packages("r-base-core");
  plan.mutable_recipe()->add_debian_packages("g++");
  plan.mutable_recipe()->add_pip_packages("torch==2.7.1");
  plan.mutable_recipe()->add_conda_packages("numpy>=2");
  CHECK(TextOf(plan, "debian.txt") == "r-base-core\ng++\n");
  CHECK(TextOf(plan, "pip.txt") ==
        "--index-url https://pip.example/simple\ntorch==2.7.1\n");
  CHECK(TextOf(plan, "conda.yml") ==
        "channels:\n  - \"https://conda.example/forge\"\n"
        "dependencies:\n  - \"ipykernel\"\n  - \"numpy>=2\"\n");
  CHECK_THAT(TextOf(plan, "carme.sources"),
             Catch::Contains("URIs: http://deb.example/debian\n"
                             "Suites: trixie\n"));
}

TEST_CASE("image recipe: a kind without packages installs nothing", "[agent]") {
  v1::ImageRecipePlan plan = Plan();
  plan.mutable_recipe()->add_pip_packages("torch");
  const std::string definition = TextOf(plan, "image.def");
  CHECK(RecipeFiles(plan).size() == 2);
  CHECK_THAT(definition, Catch::Contains("python3 -m pip --isolated install"));
  CHECK_THAT(definition, !Catch::Contains("apt-get"));
  CHECK_THAT(definition, !Catch::Contains("micromamba"));
}

TEST_CASE("image recipe: writes its files into a new directory", "[agent]") {
  TempDir dir;
  v1::ImageRecipePlan plan = Plan();
  plan.mutable_recipe()->add_pip_packages("torch");
  const auto definition = WriteRecipe(plan, dir.File("recipe"));
  REQUIRE_THAT(definition, IsOk());
  CHECK(*definition == dir.File("recipe") + "/image.def");
  CHECK(ReadFile(*definition).value() == TextOf(plan, "image.def"));
  CHECK(ReadFile(dir.File("recipe") + "/pip.txt").value() ==
        TextOf(plan, "pip.txt"));
  CHECK(absl::IsAlreadyExists(WriteRecipe(plan, dir.File("recipe")).status()));
}

}  // namespace
}  // namespace carme::agent
