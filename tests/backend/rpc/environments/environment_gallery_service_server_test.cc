#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/rpc/environments/environment_gallery_service.h"
#include "carme/v1/environment_gallery.grpc.pb.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class Served : public AccountSite {
 public:
  Served() {
    world_.directory_.SetLookUp(
        [this](const std::string& name) { return directory_.LookUp(name); });
    config_.offered = true;
    config_.packages.pip_index_url = "https://pip.example/simple";
    v1::EnvironmentTemplate torch;
    torch.set_id("torch");
    torch.add_pip_packages("torch");
    config_.templates = {torch};
    gallery_ = std::make_unique<EnvironmentGallery>(world_.images_, config_);
    ServiceMap services;
    services["environment gallery"] =
        NewEnvironmentGalleryService({.gallery = gallery_.get(),
                                      .images = world_.images_,
                                      .jobs = world_.jobs_.get(),
                                      .audit = audit_.get()});
    Serve(std::move(services));
    stub_ = v1::EnvironmentGalleryService::NewStub(AsFrontend());
  }
  ~Served() { server_.reset(); }

  // The image is in `image_`, unless it is refused.
  grpc::Status Build(const std::string& token, const std::string& package) {
    CallWith call(token);
    v1::BuildEnvironmentImageRequest request;
    request.set_name("torch");
    request.add_pip_packages(package);
    v1::BuildEnvironmentImageResponse response;
    const grpc::Status status =
        stub_->BuildEnvironmentImage(&call, request, &response);
    image_ = response.image();
    return status;
  }

  JobFixture world_;
  EnvironmentsConfig config_;
  std::unique_ptr<EnvironmentGallery> gallery_;
  std::unique_ptr<v1::EnvironmentGalleryService::Stub> stub_;
  v1::Image image_;
};

TEST_CASE("environment gallery service: a refusal leaves an entry and no image",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  CHECK(site.Build(ada, "--index-url=https://evil.example").error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE "
                 "act='build-environment-image' AND decision='refuse'") == "1");
  CHECK_FALSE(site.world_.images_->Find("ada/torch:1").has_value());
}

TEST_CASE("environment gallery service: each build is a new version",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  REQUIRE_THAT(site.Build(ada, "torch>=2.7"), IsOk());
  CHECK(site.image_.id() == "ada/torch:1");
  CHECK(site.image_.state() == v1::IMAGE_STATE_BUILDING);
  CHECK(site.image_.own());
  CHECK_FALSE(site.image_.build_job().empty());
  REQUIRE_THAT(site.Build(ada, "torch>=2.8"), IsOk());
  CHECK(site.image_.id() == "ada/torch:2");
  CHECK(site.Ask("SELECT subject || result FROM audit WHERE "
                 "act='build-environment-image' ORDER BY sequence LIMIT 1") ==
        "ada/torch:1ok: base base:1, packages 1");
}

TEST_CASE("environment gallery service: a recipe survives a restart",
          "[backend]") {
  Served site;
  REQUIRE_THAT(site.Build(site.LogIn("ada").token, "torch>=2.7"), IsOk());
  ImageTable table(site.world_.database_.get());
  const auto records = table.Read();
  REQUIRE_THAT(records, IsOk());
  REQUIRE(records->size() == 1);
  CHECK((*records)[0].recipe.base() == "base:1");
  CHECK((*records)[0].recipe.pip_packages(0) == "torch>=2.7");
}

TEST_CASE("environment gallery service: lists templates and base images",
          "[backend]") {
  Served site;
  CallWith call(site.LogIn("ada").token);
  v1::ListEnvironmentTemplatesResponse response;
  REQUIRE_THAT(site.stub_->ListEnvironmentTemplates(&call, {}, &response),
               IsOk());
  REQUIRE(response.templates_size() == 1);
  CHECK(response.templates(0).image() == "base:1");
  CHECK(response.pip_allowed());
  CHECK_FALSE(response.conda_allowed());
  REQUIRE(response.base_images_size() == 1);
  CHECK(response.base_images(0) == "base:1");
}

}  // namespace
}  // namespace carme::backend
