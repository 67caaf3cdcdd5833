#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/image.grpc.pb.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Ids = std::vector<std::string>;
using SlurmOutcome = FakeSlurm::SlurmOutcome;

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
    world_.directory_.SetLookUp(
        [this](const std::string& name) { return directory_.LookUp(name); });
    ServiceMap services;
    services["image"] = NewImageService({.images = world_.images_,
                                         .jobs = world_.jobs_.get(),
                                         .person_lookup = &directory_,
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
    REQUIRE_THAT(stub_->ListImages(&call, {}, &response), IsOk());
    return response;
  }

  // The id is in `image_`, unless it is refused.
  grpc::Status Import(const std::string& token, const std::string& name,
                      const std::string& path = "~/x.sif",
                      v1::ImageSource source = v1::IMAGE_SOURCE_SIF) {
    CallWith call(token);
    v1::ImportImageRequest request;
    request.set_name(name);
    request.set_path(path);
    request.set_source(source);
    v1::ImportImageResponse response;
    const grpc::Status status = stub_->ImportImage(&call, request, &response);
    image_ = response.image();
    return status;
  }
  template <typename Request, typename Response>
  grpc::Status Share(const std::string& token,
                     grpc::Status (v1::ImageService::Stub::*rpc)(
                         grpc::ClientContext*, const Request&, Response*),
                     const std::string& group,
                     const std::string& project = "") {
    CallWith call(token);
    Request request;
    request.set_id("ada/x:1");
    request.set_group(group);
    request.set_project(project);
    Response response;
    const grpc::Status status = (*stub_.*rpc)(&call, request, &response);
    image_ = response.image();
    return status;
  }
  absl::Status Act(const Session& actor, const std::string& project,
                   const std::string& whom, MemberAction act) {
    return world_.projects_
        ->ApplyMemberAction(PersonOf(actor), ProjectId(project), whom, act)
        .status();
  }
  grpc::Status SetState(const std::string& token, v1::ImageState state) {
    CallWith call(token);
    v1::SetImageStateRequest request;
    request.set_id("ada/x:1");
    request.set_state(state);
    v1::SetImageStateResponse response;
    return stub_->SetImageState(&call, request, &response);
  }
  grpc::Status Remove(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::RemoveImageRequest request;
    request.set_id(id);
    v1::RemoveImageResponse response;
    return stub_->RemoveImage(&call, request, &response);
  }
  grpc::Status RemoveSite(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::RemoveSiteImageRequest request;
    request.set_id(id);
    v1::RemoveSiteImageResponse response;
    return stub_->RemoveSiteImage(&call, request, &response);
  }
  grpc::Status Check(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::CheckImageRequest request;
    request.set_id(id);
    v1::CheckImageResponse response;
    return stub_->CheckImage(&call, request, &response);
  }
  // As its job's agent reports it.
  void Made(const std::string& id) {
    REQUIRE_THAT(
        world_.images_->Change(id,
                               [](ImageRecord* record) {
                                 record->state = v1::IMAGE_STATE_ACTIVE;
                                 record->image.path = "/home/ada/x.sif";
                                 record->image.sha256.assign(64, 'c');
                                 return absl::OkStatus();
                               }),
        IsOk());
  }
  std::vector<std::string> UsableBy(const std::string& token) {
    std::vector<std::string> ids;
    const v1::ListImagesResponse list = List(token);
    for (const v1::Image& image : list.images()) {
      if (image.usable()) ids.push_back(image.id());
    }
    return ids;
  }

  v1::Image image_;
  JobFixture world_;
  std::unique_ptr<v1::ImageService::Stub> stub_;
};

TEST_CASE("image service: users and support cannot add or change images",
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

TEST_CASE("image service: refuses an invalid new image", "[backend]") {
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
  REQUIRE_THAT(site.Add(carol, Torch()), IsOk());
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
  CHECK_THAT(site.world_.Submit(site.world_.ada_, "", {.image = "torch:2"}),
             IsOk());

  v1::ChangeImageRequest change;
  change.set_id("torch:2");
  change.set_state(v1::IMAGE_STATE_WITHDRAWN);
  REQUIRE_THAT(site.Change(carol, change), IsOk());
  CHECK(site.List(ada).images_size() == 1);
  CHECK(site.List(carol).images_size() == 2);
  const auto refused =
      site.world_.Submit(site.world_.ada_, "", {.image = "torch:2"});
  CHECK(absl::IsFailedPrecondition(refused.status()));
  CHECK(refused.status().message() == "image \"torch:2\" is withdrawn");
  CHECK(site.Ask("SELECT substr(result, 1, 14) FROM audit WHERE "
                 "act='change-image'") == "ok: withdrawn,");
}

TEST_CASE("image service: an administrator corrects and removes an image",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const std::string ada = site.LogIn("ada").token;
  REQUIRE_THAT(site.Add(carol, Torch()), IsOk());
  v1::ChangeImageRequest change;
  change.set_id("torch:2");
  change.set_path("images/torch.sif");
  CHECK(site.Change(carol, change).error_code() == Code::INVALID_ARGUMENT);
  change.set_path("/images/torch-2.sif");
  change.set_sha256("no digest");
  CHECK(site.Change(carol, change).error_code() == Code::INVALID_ARGUMENT);
  change.set_sha256(std::string(64, 'e'));
  REQUIRE_THAT(site.Change(carol, change), IsOk());
  const auto image =
      site.world_.images_->ForStart("torch:2", "ada", Uid(20001));
  REQUIRE_THAT(image, IsOk());
  CHECK(image->path == "/images/torch-2.sif");
  CHECK(image->sha256 == std::string(64, 'e'));
  // Of a user's image neither: what was approved is what starts.
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  site.Made("ada/x:1");
  change.set_id("ada/x:1");
  CHECK(site.Change(carol, change).error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.RemoveSite(carol, "ada/x:1").error_code() ==
        Code::FAILED_PRECONDITION);
  const Job job =
      site.world_.Submit(site.world_.ada_, "", {.image = "torch:2"}).value();
  CHECK(site.RemoveSite(ada, "torch:2").error_code() ==
        Code::PERMISSION_DENIED);
  CHECK(site.RemoveSite(carol, "torch:2").error_code() ==
        Code::FAILED_PRECONDITION);
  site.world_.slurm_.DeleteJob(job.slurm_id);
  site.clock_.Advance(absl::Minutes(2));
  site.world_.clock_.Advance(absl::Minutes(2));
  site.world_.slurm_.Poll();
  REQUIRE_THAT(site.RemoveSite(carol, "torch:2"), IsOk());
  CHECK(site.AskNow("SELECT actor || ' ' || subject FROM audit WHERE "
                    "act='remove-site-image' AND decision='allow'") ==
        "carol torch:2");
}

TEST_CASE("image service: without a digest a job of the administrator's checks",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  v1::AddImageRequest request = Torch();
  request.clear_sha256();
  SECTION("it is not submitted: there is no image") {
    site.world_.slurm_.set_outcome(SlurmOutcome::kRefused);
    CHECK(site.Add(carol, request).error_code() == Code::FAILED_PRECONDITION);
    CHECK(site.List(carol).images_size() == 1);
    return;
  }
  REQUIRE_THAT(site.Add(carol, request), IsOk());
  v1::Image image = site.List(carol).images(1);
  CHECK(image.state() == v1::IMAGE_STATE_BUILDING);
  CHECK_FALSE(image.usable());
  CHECK(site.world_.jobs_->active().Find(JobId(image.check().job()))->owner ==
        "carol");
  // One at a time.
  CHECK(site.Check(carol, "torch:2").error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.Check(site.LogIn("ada").token, "torch:2").error_code() ==
        Code::PERMISSION_DENIED);
  CHECK(site.Check(carol, "base:1").error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.Check(carol, "none:1").error_code() == Code::NOT_FOUND);
}

TEST_CASE("image service: an approved share asks for one copy", "[backend]") {
  Served site;
  site.world_.config_.shared_images = {.directory = "/shared",
                                       .account = "carme-images"};
  Person chemist = AccountSite::Account("ada", 20001, Role::kUser);
  chemist.groups = {"chem"};
  site.directory_.SetPerson("ada", chemist);
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  site.Made("ada/x:1");
  REQUIRE_THAT(
      site.Share(ada, &v1::ImageService::Stub::RequestImageShare, "chem"),
      IsOk());
  CHECK_FALSE(site.image_.has_copy());
  REQUIRE_THAT(site.Share(carol, &v1::ImageService::Stub::ShareImage, "chem"),
               IsOk());
  CHECK(site.image_.copy().state() == v1::IMAGE_COPY_STATE_STAGING);
  // Where it is meanwhile is for its jobs alone.
  CHECK(site.image_.copy().path().empty());
  const auto waiting = site.world_.images_->CopiesToSubmit();
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].copy.path.starts_with("/shared/incoming/"));
  REQUIRE_THAT(site.Share(carol, &v1::ImageService::Stub::ShareImage, "chem"),
               IsOk());
  CHECK(site.world_.images_->CopiesToSubmit()[0].copy.path ==
        waiting[0].copy.path);
  // A ready copy serves another group as it is, and is made again where it was
  // approved before.
  const auto ready = [&] {
    REQUIRE_THAT(site.world_.images_->Change(
                     "ada/x:1",
                     [](ImageRecord* record) {
                       record->copy = {.state = v1::IMAGE_COPY_STATE_READY,
                                       .path = "/shared/store/c.sif"};
                       return absl::OkStatus();
                     }),
                 IsOk());
  };
  ready();
  chemist.groups = {"chem", "bio"};
  site.directory_.SetPerson("ada", chemist);
  REQUIRE_THAT(
      site.Share(ada, &v1::ImageService::Stub::RequestImageShare, "bio"),
      IsOk());
  REQUIRE_THAT(site.Share(carol, &v1::ImageService::Stub::ShareImage, "bio"),
               IsOk());
  CHECK(site.image_.copy().state() == v1::IMAGE_COPY_STATE_READY);
  REQUIRE_THAT(site.Share(carol, &v1::ImageService::Stub::ShareImage, "bio"),
               IsOk());
  CHECK(site.image_.copy().state() == v1::IMAGE_COPY_STATE_STAGING);
  ready();
  REQUIRE_THAT(
      site.Share(ada, &v1::ImageService::Stub::RequestImageShare, "bio"),
      IsOk());
  CHECK(site.image_.copy().state() == v1::IMAGE_COPY_STATE_STAGING);
}

TEST_CASE("image service: a stale factor changes no image", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.clock_.Advance(absl::Minutes(11));
  CHECK(site.Add(carol, Torch()).error_code() == Code::FAILED_PRECONDITION);
}

TEST_CASE("image service: starts no job for an invalid source", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  CHECK(site.Import(ada, "x").error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.Import(ada, "../x:1").error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.Import(ada, "x:1", "x.sif").error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Import(ada, "x:1", "~bob/x.sif").error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Import(ada, "x:1", "/a:/etc").error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Import(ada, "x:1", "~/x", v1::IMAGE_SOURCE_UNSPECIFIED)
            .error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.world_.slurm_.Jobs().empty());
}

TEST_CASE("image service: adds no image if the job is refused", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  site.world_.slurm_.set_outcome(SlurmOutcome::kRefused);
  CHECK(site.Import(ada, "x:1").error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.UsableBy(ada) == Ids{"base:1"});
  site.world_.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK_THAT(site.Import(ada, "x:1"), IsOk());
}

TEST_CASE("image service: a job makes a user's image, which is theirs alone",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  CHECK(site.image_.id() == "ada/x:1");
  CHECK(site.image_.state() == v1::IMAGE_STATE_BUILDING);
  const Job job = site.world_.Now(JobId(site.image_.build_job()));
  CHECK(job.owner == "ada");
  CHECK(job.spec.builds == "ada/x:1");
  CHECK(job.spec.app.empty());
  CHECK(job.spec.image.empty());
  CHECK(site.Import(ada, "x:1").error_code() == Code::ALREADY_EXISTS);
  CHECK(site.Remove(ada, "ada/x:1").error_code() == Code::FAILED_PRECONDITION);
  CHECK(site.SetState(ada, v1::IMAGE_STATE_ACTIVE).error_code() ==
        Code::FAILED_PRECONDITION);

  site.Made("ada/x:1");
  CHECK(site.UsableBy(ada) == Ids{"base:1", "ada/x:1"});
  CHECK(site.UsableBy(bob) == Ids{"base:1"});
  CHECK_FALSE(
      site.world_.Submit(site.world_.bob_, "", {.image = "ada/x:1"}).ok());
  CHECK(site.SetState(bob, v1::IMAGE_STATE_WITHDRAWN).error_code() ==
        Code::NOT_FOUND);
  CHECK(site.Remove(bob, "ada/x:1").error_code() == Code::NOT_FOUND);
  CHECK_THAT(site.SetState(ada, v1::IMAGE_STATE_DEPRECATED), IsOk());
  CHECK(site.Ask("SELECT subject FROM audit WHERE act='import-image' AND "
                 "decision='allow'") == "ada/x:1");
}

TEST_CASE(
    "image service: an owner cannot restore an image withdrawn by an "
    "administrator",
    "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  v1::ChangeImageRequest change;
  change.set_id("ada/x:1");
  change.set_state(v1::IMAGE_STATE_WITHDRAWN);
  CHECK(site.Change(carol, change).error_code() == Code::FAILED_PRECONDITION);
  site.Made("ada/x:1");
  REQUIRE_THAT(site.Change(carol, change), IsOk());
  CHECK(site.SetState(ada, v1::IMAGE_STATE_ACTIVE).error_code() ==
        Code::FAILED_PRECONDITION);
  CHECK(site.UsableBy(ada) == Ids{"base:1"});
  change.set_state(v1::IMAGE_STATE_ACTIVE);
  REQUIRE_THAT(site.Change(carol, change), IsOk());
  CHECK(site.UsableBy(ada) == Ids{"base:1", "ada/x:1"});
}

TEST_CASE("image service: sharing needs the owner's offer and a manager",
          "[backend]") {
  Served site;
  const auto in_chem = [](const std::string& name, uint32_t uid, Role role) {
    Person person = AccountSite::Account(name, uid, role);
    person.groups = {"chem"};
    return person;
  };
  site.directory_.SetPerson("ada", in_chem("ada", 20001, Role::kUser));
  site.directory_.SetPerson("fay", in_chem("fay", 20005, Role::kManager));
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string fay = site.LogIn("fay").token;
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  site.Made("ada/x:1");
  using Stub = v1::ImageService::Stub;
  CHECK(site.Share(fay, &Stub::ShareImage, "chem").error_code() ==
        Code::NOT_FOUND);
  CHECK(site.Share(ada, &Stub::RequestImageShare, "bio").error_code() ==
        Code::PERMISSION_DENIED);
  CHECK(site.Share(bob, &Stub::RequestImageShare, "chem").error_code() ==
        Code::NOT_FOUND);
  REQUIRE_THAT(site.Share(ada, &Stub::RequestImageShare, "chem"), IsOk());
  CHECK(site.UsableBy(fay) == Ids{"base:1"});
  CHECK(site.Share(ada, &Stub::ShareImage, "chem").error_code() ==
        Code::PERMISSION_DENIED);
  const v1::ListImagesResponse offered = site.List(fay);
  REQUIRE(offered.images_size() == 2);
  REQUIRE(offered.images(1).shares_size() == 1);
  CHECK(offered.images(1).shares(0).may_approve());
  REQUIRE_THAT(site.Share(fay, &Stub::ShareImage, "chem"), IsOk());
  CHECK(site.UsableBy(fay) == Ids{"base:1", "ada/x:1"});
  CHECK(site.UsableBy(bob) == Ids{"base:1"});
  REQUIRE_THAT(site.Share(ada, &Stub::UnshareImage, "chem"), IsOk());
  CHECK(site.UsableBy(fay) == Ids{"base:1"});
  CHECK(site.Ask("SELECT actor || ' ' || subject FROM audit WHERE "
                 "act='share-image' AND decision='allow'") ==
        "fay ada/x:1 chem");
}

TEST_CASE("image service: one is shared with a group or a project, not both",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  using Stub = v1::ImageService::Stub;
  for (const auto& [group, project] :
       {std::pair("", ""), std::pair("chem", "p")}) {
    CHECK(site.Share(ada, &Stub::RequestImageShare, group, project)
              .error_code() == Code::INVALID_ARGUMENT);
    CHECK(site.Share(ada, &Stub::ShareImage, group, project).error_code() ==
          Code::INVALID_ARGUMENT);
    CHECK(site.Share(ada, &Stub::UnshareImage, group, project).error_code() ==
          Code::INVALID_ARGUMENT);
  }
}

TEST_CASE("image service: a site's image is for projects that there are",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string carol = site.LogIn("carol").token;
  v1::AddImageRequest request = Torch();
  request.mutable_settings()->add_projects("a23456789abcdefg");
  CHECK(site.Add(carol, request).error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.List(carol).images_size() == 1);
  request.mutable_settings()->set_projects(0, site.world_.AdasProject());
  REQUIRE_THAT(site.Add(carol, request), IsOk());
  CHECK(site.UsableBy(ada) == Ids{"base:1", "torch:2"});
  CHECK(site.UsableBy(bob) == Ids{"base:1"});
  // Without restrictions all users may use it.
  v1::ChangeImageRequest change;
  change.set_id("torch:2");
  change.mutable_settings()->set_description("PyTorch");
  REQUIRE_THAT(site.Change(carol, change), IsOk());
  CHECK(site.UsableBy(bob) == Ids{"base:1", "torch:2"});
}

TEST_CASE(
    "image service: a project's manager shares with its members, and they "
    "use it until they leave or it ends",
    "[backend]") {
  Served site;
  // The site's role has no effect in a project.
  site.directory_.SetPerson("fay",
                            AccountSite::Account("fay", 20005, Role::kManager));
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string fay = site.LogIn("fay").token;
  REQUIRE_THAT(site.Import(ada, "x:1"), IsOk());
  site.Made("ada/x:1");
  // Ada's own project; Bob, a user of the site, becomes a manager in it.
  const std::string id = site.world_.AdasProject();
  const Session& owner = site.world_.ada_;
  const Session& guest = site.world_.bob_;
  const Person carol = AccountSite::Account("carol", 20003, Role::kAdmin);
  using Stub = v1::ImageService::Stub;
  const auto share = [&](const std::string& who, auto rpc) {
    return site.Share(who, rpc, "", id);
  };
  const grpc::Status none =
      site.Share(bob, &Stub::ShareImage, "", "a23456789abcdefg");
  CHECK(none.error_code() == Code::NOT_FOUND);
  REQUIRE_THAT(share(ada, &Stub::RequestImageShare), IsOk());
  for (const std::string& token : {bob, fay}) {
    const grpc::Status refused = share(token, &Stub::ShareImage);
    CHECK(refused.error_code() == Code::NOT_FOUND);
    CHECK(refused.error_message() == none.error_message());
    CHECK(share(token, &Stub::UnshareImage).error_code() == Code::NOT_FOUND);
    CHECK(site.List(token).images_size() == 1);
  }
  REQUIRE_THAT(
      site.world_.projects_->Invite(PersonOf(owner), ProjectId(id), "bob"),
      IsOk());
  CHECK(share(bob, &Stub::ShareImage).error_code() == Code::NOT_FOUND);
  REQUIRE_THAT(site.Act(guest, id, "bob", MemberAction::kAccept), IsOk());
  CHECK(share(bob, &Stub::ShareImage).error_code() == Code::PERMISSION_DENIED);
  CHECK(site.List(bob).images_size() == 1);
  REQUIRE_THAT(site.Act(owner, id, "bob", MemberAction::kPromote), IsOk());
  const v1::ListImagesResponse offered = site.List(bob);
  REQUIRE(offered.images_size() == 2);
  REQUIRE(offered.images(1).shares_size() == 1);
  CHECK(offered.images(1).shares(0).project() == id);
  CHECK(offered.images(1).shares(0).may_approve());
  CHECK_FALSE(offered.images(1).usable());
  REQUIRE_THAT(share(bob, &Stub::ShareImage), IsOk());
  CHECK(site.image_.shares(0).approved_by() == "bob");

  const auto starts = [&] {
    const bool does =
        site.world_.images_->ForStart("ada/x:1", "bob", guest.uid).ok();
    CHECK((site.UsableBy(bob) == Ids{"base:1", "ada/x:1"}) == does);
    return does;
  };
  CHECK(starts());
  CHECK(site.UsableBy(fay) == Ids{"base:1"});
  const auto set_end = [&](std::optional<absl::Time> end) {
    REQUIRE_THAT(site.world_.projects_->SetTerms(carol, ProjectId(id), end, ""),
                 IsOk());
  };
  set_end(site.world_.clock_.Now() + absl::Hours(1));
  CHECK(starts());
  site.world_.clock_.Advance(absl::Hours(2));
  CHECK_FALSE(starts());
  set_end(std::nullopt);
  CHECK(starts());
  REQUIRE_THAT(site.Act(guest, id, "bob", MemberAction::kLeave), IsOk());
  CHECK_FALSE(starts());
  CHECK(share(bob, &Stub::UnshareImage).error_code() == Code::NOT_FOUND);
  CHECK(site.Ask("SELECT actor || ' ' || subject FROM audit WHERE "
                 "act='share-image' AND decision='allow'") ==
        "bob ada/x:1 project " + id);
}

}  // namespace
}  // namespace carme::backend
