#include <catch2/catch.hpp>
#include <string>

#include "backend/rpc/image_service.h"
#include "carme/v1/image.grpc.pb.h"
#include "tests/backend/jobs/job_world.h"
#include "tests/backend/rpc/account_site.h"

namespace carme {
namespace {

using Code = grpc::StatusCode;

v1::AddImageRequest Torch() {
  v1::AddImageRequest request;
  request.set_id("torch:2");
  request.set_path("/images/torch.sif");
  request.set_sha256(std::string(64, 'b'));
  request.mutable_settings()->set_description("PyTorch");
  return request;
}

class Served : public AccountSite {
 public:
  Served() {
    ServiceMap services;
    services["image"] = NewImageService({.images = world_.images_.get(),
                                         .config = &world_.config_,
                                         .audit = audit_.get()});
    Serve(std::move(services));
    stub_ = v1::ImageService::NewStub(AsFrontend());
  }
  grpc::Status Add(const std::string& token,
                   const v1::AddImageRequest& request) {
    CallWith call(token);
    v1::AddImageResponse response;
    return stub_->AddImage(&call, request, &response);
  }
  grpc::Status Change(const std::string& token,
                      const v1::ChangeImageRequest& request) {
    CallWith call(token);
    v1::ChangeImageResponse response;
    return stub_->ChangeImage(&call, request, &response);
  }
  v1::ListImagesResponse List(const std::string& token) {
    CallWith call(token);
    v1::ListImagesResponse response;
    REQUIRE(stub_->ListImages(&call, {}, &response).ok());
    return response;
  }

  JobWorld world_;
  std::unique_ptr<v1::ImageService::Stub> stub_;
};

TEST_CASE("image service: users and support add and change nothing",
          "[backend]") {
  Served site;
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    CHECK(site.Add(token, Torch()).error_code() == Code::PERMISSION_DENIED);
    v1::ChangeImageRequest change;
    change.set_id("base:1");
    CHECK(site.Change(token, change).error_code() == Code::PERMISSION_DENIED);
  }
  CHECK_FALSE(site.world_.images_->Find("torch:2").has_value());
}

TEST_CASE("image service: what is wrong of a new image is refused",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  v1::AddImageRequest request = Torch();
  request.set_id("torch");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.set_path("images/torch.sif");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.set_sha256("b");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.mutable_settings()->add_mounts()->set_source("/a:/etc");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.mutable_settings()->add_groups("a\nb");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.mutable_settings()->add_roles(v1::ROLE_UNSPECIFIED);
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  request = Torch();
  request.set_id("base:1");
  CHECK(site.Add(carol, request).error_code() == Code::ALREADY_EXISTS);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='add-image' AND "
                 "decision='refuse'") == "7");
}

TEST_CASE(
    "image service: an image is added, used, withdrawn, with an entry "
    "of each",
    "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const std::string ada = site.LogIn("ada").token;
  REQUIRE(site.Add(carol, Torch()).ok());
  CHECK(site.AskNow("SELECT actor || ' ' || subject || ' ' || result FROM "
                    "audit WHERE act='add-image'") ==
        "carol torch:2 ok: active, sha256 " + std::string(64, 'b') +
            ", mounts 0");
  v1::ListImagesResponse list = site.List(ada);
  REQUIRE(list.images_size() == 2);
  CHECK(list.images(0).fixed());
  CHECK(list.images(1).id() == "torch:2");
  CHECK(list.images(1).usable());
  CHECK(list.images(1).settings().description() == "PyTorch");
  CHECK(site.world_.Submit(site.world_.ada_, "", {.image = "torch:2"}).ok());

  v1::ChangeImageRequest change;
  change.set_id("torch:2");
  change.set_state(v1::IMAGE_STATE_WITHDRAWN);
  REQUIRE(site.Change(carol, change).ok());
  CHECK(site.List(ada).images_size() == 1);
  CHECK(site.List(carol).images_size() == 2);
  const auto refused =
      site.world_.Submit(site.world_.ada_, "", {.image = "torch:2"});
  CHECK(absl::IsInvalidArgument(refused.status()));
  CHECK(site.Ask("SELECT substr(result, 1, 14) FROM audit WHERE "
                 "act='change-image'") == "ok: withdrawn,");
}

TEST_CASE("image service: a stale factor changes no image", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.clock_.Advance(absl::Minutes(11));
  CHECK(site.Add(carol, Torch()).error_code() == Code::FAILED_PRECONDITION);
}

}  // namespace
}  // namespace carme
