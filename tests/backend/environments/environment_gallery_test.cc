#include "backend/environments/environment_gallery.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/fake_usable_images.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

Image ImageNamed(const std::string& id, const std::string& owner = "",
                 Uid uid = kNoUid) {
  Image image{.id = id,
              .description = {},
              .path = "/images/base.sif",
              .sha256 = std::string(64, 'a'),
              .apps = {"jupyter"},
              .mounts = {},
              .environment = {}};
  image.owner = owner;
  image.owner_uid = uid;
  return image;
}

class Site {
 public:
  Site() {
    ada_.username = "ada";
    ada_.uid = Uid(20001);
    images_.images["ada"] = {ImageNamed("base:1"), ImageNamed("other:2"),
                             ImageNamed("ada/own:1", "ada", ada_.uid),
                             ImageNamed("bob/his:1", "bob", Uid(20002)),
                             ImageNamed(kNoImage)};
    config_.offered = true;
    config_.packages.pip_index_url = "https://pip.example/simple";
    v1::EnvironmentTemplate r;
    r.set_id("r");
    r.set_image("other:2");
    r.add_debian_packages("r-base-core");
    v1::EnvironmentTemplate torch;
    torch.set_id("torch");
    torch.add_pip_packages("torch");
    v1::EnvironmentTemplate lost;
    lost.set_id("lost");
    lost.set_image("lost:1");
    config_.templates = {r, torch, lost};
  }
  EnvironmentGallery Gallery() { return {&images_, config_}; }
  absl::StatusOr<ImageRecord> Make(
      const v1::BuildEnvironmentImageRequest& request) {
    return Gallery().MakeImage(ada_, request);
  }
  static v1::BuildEnvironmentImageRequest Request() {
    v1::BuildEnvironmentImageRequest request;
    request.set_name("mine");
    request.add_pip_packages("torch>=2.7");
    return request;
  }

  Session ada_;
  FakeUsableImages images_;
  EnvironmentsConfig config_;
};

TEST_CASE("environment gallery: refuses names and packages that are not names",
          "[backend]") {
  Site site;
  for (const char* name : {"", "../x", "a b", "-x", "x.toml", "a/b", "a:b"}) {
    INFO(name);
    v1::BuildEnvironmentImageRequest request = Site::Request();
    request.set_name(name);
    CHECK(absl::IsInvalidArgument(site.Make(request).status()));
  }
  for (const char* package :
       {"", "-r x", "x y", "$(id)", "x\n--pre", "x@https://evil.example"}) {
    INFO(package);
    v1::BuildEnvironmentImageRequest request = Site::Request();
    request.add_pip_packages(package);
    CHECK(absl::IsInvalidArgument(site.Make(request).status()));
  }
  v1::BuildEnvironmentImageRequest request = Site::Request();
  for (int i = 0; i < 100; ++i) request.add_pip_packages("x");
  CHECK(absl::IsInvalidArgument(site.Make(request).status()));
  request.clear_pip_packages();
  CHECK(absl::IsInvalidArgument(site.Make(request).status()));
}

TEST_CASE("environment gallery: refuses what the site does not allow",
          "[backend]") {
  Site site;
  v1::BuildEnvironmentImageRequest conda;
  conda.set_name("mine");
  conda.add_conda_packages("numpy");
  CHECK(absl::IsFailedPrecondition(site.Make(conda).status()));
  v1::BuildEnvironmentImageRequest debian = Site::Request();
  debian.set_template_id("r");
  CHECK(absl::IsFailedPrecondition(site.Make(debian).status()));
  debian.set_template_id("none");
  CHECK(absl::IsNotFound(site.Make(debian).status()));
  site.config_.packages = {};
  CHECK(absl::IsFailedPrecondition(site.Make(Site::Request()).status()));
  site.config_.packages.pip_index_url = "https://pip.example/simple";
  site.config_.offered = false;
  CHECK(absl::IsFailedPrecondition(site.Make(Site::Request()).status()));
  CHECK(site.Gallery().TemplatesFor({"base:1"}).empty());
}

TEST_CASE("environment gallery: refuses a base that another user owns",
          "[backend]") {
  Site site;
  for (const char* base : {"bob/his:1", "none", "unknown:1"}) {
    INFO(base);
    v1::BuildEnvironmentImageRequest request = Site::Request();
    request.set_base_image(base);
    CHECK(absl::IsFailedPrecondition(site.Make(request).status()));
  }
  site.images_.images["ada"][0].sha256.clear();
  CHECK(site.Gallery().BaseImages(site.ada_) ==
        std::vector<std::string>{"other:2", "ada/own:1"});
}

TEST_CASE("environment gallery: makes an image of the caller", "[backend]") {
  Site site;
  site.config_.packages.debian_mirror_url = "http://deb.example/debian";
  v1::BuildEnvironmentImageRequest request = Site::Request();
  request.set_template_id("r");
  const auto made = site.Make(request);
  REQUIRE_THAT(made, IsOk());
  CHECK(made->image.id == "ada/mine");
  CHECK(made->image.owner_uid == site.ada_.uid);
  CHECK(made->image.apps == std::vector<std::string>{"jupyter"});
  CHECK(made->image.description == "other:2 + r-base-core, torch>=2.7");
  CHECK(made->recipe.base() == "other:2");
  CHECK(made->recipe.debian_packages(0) == "r-base-core");
  CHECK(made->state == v1::IMAGE_STATE_BUILDING);
  CHECK(made->source == v1::IMAGE_SOURCE_DEFINITION);
  CHECK(made->source_path.empty());
  const auto without_template = site.Make(Site::Request());
  REQUIRE_THAT(without_template, IsOk());
  CHECK(without_template->recipe.base() == "base:1");
}

TEST_CASE("environment gallery: lists why a template cannot be used",
          "[backend]") {
  Site site;
  const auto templates =
      site.Gallery().TemplatesFor(site.Gallery().BaseImages(site.ada_));
  REQUIRE(templates.size() == 3);
  CHECK(templates[0].problem() ==
        v1::ENVIRONMENT_TEMPLATE_PROBLEM_DEBIAN_NOT_ALLOWED);
  CHECK(templates[1].problem() == v1::ENVIRONMENT_TEMPLATE_PROBLEM_UNSPECIFIED);
  CHECK(templates[1].image() == "base:1");
  CHECK(templates[2].problem() ==
        v1::ENVIRONMENT_TEMPLATE_PROBLEM_IMAGE_NOT_USABLE);
}

}  // namespace
}  // namespace carme::backend
