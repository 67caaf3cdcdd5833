#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/images/image_catalogue.h"
#include "backend/projects/projects.h"
#include "backend/rpc/administration/choice_service.h"
#include "carme/v1/choice.grpc.pb.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Names = std::vector<std::string>;

class FakeDirectorySearch : public DirectorySearch {
 public:
  absl::StatusOr<DirectoryNames> SearchUsers(std::string_view beginning,
                                             int max) override {
    asked_ = std::string(beginning);
    max_ = max;
    return found_;
  }
  absl::StatusOr<DirectoryNames> SearchGroups(std::string_view beginning,
                                              int max) override {
    return SearchUsers(beginning, max);
  }
  std::string asked_;
  int max_ = 0;
  absl::StatusOr<DirectoryNames> found_ = DirectoryNames();
};

std::vector<Image> SiteImages() {
  std::vector<Image> images(2);
  images[0].id = "torch:1";
  images[0].description = "PyTorch";
  images[1].id = kNoImage;
  return images;
}

class Served : public AccountSite {
 public:
  Served() {
    images_ = ImageCatalogue::Open({.database = database_.get(),
                                    .clock = &clock_,
                                    .person_lookup = &directory_,
                                    .project_memberships = &projects_},
                                   SiteImages())
                  .value();
    ServiceMap services;
    services["choices"] = NewChoiceService({.scheduler = &slurm_,
                                            .directory = &search_,
                                            .projects = &projects_,
                                            .images = images_.get()});
    Serve(std::move(services));
    stub_ = v1::ChoiceService::NewStub(AsFrontend());
  }
  Code Get(const std::string& token, v1::ChoiceKind kind,
           const std::string& text = "") {
    CallWith call(token);
    v1::GetChoicesRequest request;
    request.set_kind(kind);
    request.set_text(text);
    found_.Clear();
    status_ = stub_->GetChoices(&call, request, &found_);
    return status_.error_code();
  }
  Names Values() const {
    Names values;
    for (const v1::Choice& choice : found_.choices()) {
      values.push_back(choice.value());
    }
    return values;
  }

  Projects projects_{{.database = database_.get(),
                      .clock = &clock_,
                      .audit = audit_.get(),
                      .directory = &directory_},
                     ProjectsConfig()};
  std::unique_ptr<ImageCatalogue> images_;
  FakeSlurm slurm_{&clock_};
  FakeDirectorySearch search_;
  std::unique_ptr<v1::ChoiceService::Stub> stub_;
  grpc::Status status_;
  v1::GetChoicesResponse found_;
};

TEST_CASE("choice service: only administrators look up names", "[backend]") {
  Served site;
  site.search_.found_ = DirectoryNames{.names = {{"ada", "Ada"}}};
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    for (int kind = 0; kind <= v1::ChoiceKind_MAX; ++kind) {
      CHECK(site.Get(token, static_cast<v1::ChoiceKind>(kind)) ==
            Code::PERMISSION_DENIED);
    }
  }
  CHECK(site.search_.asked_.empty());
}

TEST_CASE("choice service: refuses unknown kinds and long texts", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Get(carol, v1::CHOICE_KIND_UNSPECIFIED) == Code::INVALID_ARGUMENT);
  CHECK(site.Get(carol, static_cast<v1::ChoiceKind>(99)) ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Get(carol, v1::CHOICE_KIND_USER, std::string(101, 'a')) ==
        Code::INVALID_ARGUMENT);
  CHECK(site.search_.asked_.empty());
}

TEST_CASE("choice service: an error of the directory is not shown",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.search_.found_ = absl::UnavailableError("ldaps://secret: refused");
  CHECK(site.Get(carol, v1::CHOICE_KIND_GROUP, "a") == Code::UNAVAILABLE);
  CHECK(site.status_.error_message().find("secret") == std::string::npos);
}

TEST_CASE("choice service: says whether a name that is missing can exist",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.slurm_.Poll();
  CHECK(site.Get(carol, v1::CHOICE_KIND_ACCOUNT) == Code::OK);
  CHECK_FALSE(site.found_.complete());  // Slurm has no accounting
  CHECK(site.Get(carol, v1::CHOICE_KIND_PARTITION) == Code::OK);
  CHECK(site.found_.complete());
  CHECK(site.found_.choices_size() > 0);
  site.search_.found_ =
      DirectoryNames{.names = {{"adam", ""}, {"ada", "Ada L."}}, .more = true};
  CHECK(site.Get(carol, v1::CHOICE_KIND_USER, "ad") == Code::OK);
  CHECK(site.search_.asked_ == "ad");
  CHECK(site.search_.max_ == 50);
  CHECK(site.found_.more());
  CHECK_FALSE(site.found_.complete());
  CHECK(site.Get(carol, v1::CHOICE_KIND_USER, "ADA") == Code::OK);
  CHECK(site.Values() == Names{"ada", "adam"});
  CHECK(site.found_.choices(0).label() == "Ada L.");
  CHECK(site.found_.complete());
}

TEST_CASE("choice service: finds projects by name and images by id",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const Person owner = site.directory_.LookUp("ada").value();
  const auto made = site.projects_.Create(owner, {.name = "Chemistry"});
  REQUIRE_THAT(made, IsOk());
  CHECK(site.Get(carol, v1::CHOICE_KIND_PROJECT, "chem") == Code::OK);
  REQUIRE(site.found_.choices_size() == 1);
  CHECK(site.found_.choices(0).value() == made->row.project.id.value());
  CHECK(site.found_.choices(0).label() == "Chemistry");
  CHECK(site.Get(carol, v1::CHOICE_KIND_PROJECT, "biology") == Code::OK);
  CHECK(site.Values().empty());
  CHECK(site.found_.complete());
  CHECK(site.Get(carol, v1::CHOICE_KIND_IMAGE, "pytorch") == Code::OK);
  CHECK(site.Values() == Names{"torch:1"});
}

TEST_CASE("choice service: returns at most 50 names", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = site.clock_.Now();
  for (int i = 0; i < 60; ++i) {
    cluster.partitions.emplace_back().name = absl::StrCat("p", 10 + i);
  }
  site.slurm_.set_cluster(cluster);
  site.slurm_.Poll();
  CHECK(site.Get(carol, v1::CHOICE_KIND_PARTITION) == Code::OK);
  CHECK(site.found_.choices_size() == 50);
  CHECK(site.found_.more());
  CHECK(site.Get(carol, v1::CHOICE_KIND_PARTITION, "p69") == Code::OK);
  CHECK(site.Values() == Names{"p69"});
  CHECK_FALSE(site.found_.more());
}

}  // namespace
}  // namespace carme::backend
