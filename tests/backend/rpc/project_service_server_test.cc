#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/rpc/project_service.h"
#include "carme/v1/project.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"

namespace carme {
namespace {

using Code = grpc::StatusCode;
using Stub = v1::ProjectService::Stub;

class Served : public AccountSite {
 public:
  Served()
      : projects_({.database = database_.get(),
                   .clock = &clock_,
                   .audit = audit_.get(),
                   .who_is =
                       [this](const std::string& name) {
                         return directory_.LookUp(name);
                       }},
                  {}) {
    ServiceMap services;
    services["project"] = NewProjectService(&projects_, audit_.get());
    Serve(std::move(services));
    stub_ = v1::ProjectService::NewStub(AsFrontend());
  }

  // What comes back is in `project_`.
  template <typename Request, typename Response>
  Code Call(const std::string& token,
            grpc::Status (Stub::*rpc)(grpc::ClientContext*, const Request&,
                                      Response*),
            const Request& request) {
    CallWith call(token);
    Response response;
    status_ = (*stub_.*rpc)(&call, request, &response);
    project_ = response.project();
    return status_.error_code();
  }
  Code Create(const std::string& token, const std::string& name = "Chem") {
    v1::CreateProjectRequest request;
    request.mutable_settings()->set_name(name);
    request.mutable_settings()->set_takes_requests(true);
    return Call(token, &Stub::CreateProject, request);
  }
  Code Get(const std::string& token, const std::string& id) {
    v1::GetProjectRequest request;
    request.set_project_id(id);
    return Call(token, &Stub::GetProject, request);
  }
  Code Act(const std::string& token, const std::string& id,
           v1::ProjectAct act) {
    v1::ActOnProjectRequest request;
    request.set_project_id(id);
    request.set_act(act);
    return Call(token, &Stub::ActOnProject, request);
  }
  Code Invite(const std::string& token, const std::string& id,
              const std::string& username) {
    v1::InviteMemberRequest request;
    request.set_project_id(id);
    request.set_username(username);
    return Call(token, &Stub::InviteMember, request);
  }
  Code Join(const std::string& token, const std::string& id) {
    v1::RequestMembershipRequest request;
    request.set_project_id(id);
    return Call(token, &Stub::RequestMembership, request);
  }
  using AccountSite::Ask;
  Code ActOn(const std::string& token, const std::string& id,
             const std::string& username, v1::MemberAct act) {
    v1::ActOnMemberRequest request;
    request.set_project_id(id);
    request.set_username(username);
    request.set_act(act);
    return Call(token, &Stub::ActOnMember, request);
  }
  v1::SetProjectTermsRequest Terms(const std::string& id,
                                   const std::string& account) {
    v1::SetProjectTermsRequest request;
    request.set_project_id(id);
    request.set_account(account);
    return request;
  }
  v1::ListProjectsResponse List(const std::string& token, bool all = false) {
    CallWith call(token);
    v1::ListProjectsRequest request;
    request.set_all(all);
    v1::ListProjectsResponse response;
    status_ = stub_->ListProjects(&call, request, &response);
    return response;
  }

  Projects projects_;
  std::unique_ptr<Stub> stub_;
  grpc::Status status_;
  v1::Project project_;
};

std::vector<int> MayOf(const v1::Project& project, const std::string& name) {
  for (const v1::ProjectMember& member : project.members()) {
    if (member.username() == name) {
      return {member.may().begin(), member.may().end()};
    }
  }
  return {-1};
}

TEST_CASE("project service: whoever is no administrator approves nothing",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string sam = site.LogIn("sam").token;
  REQUIRE(site.Create(ada) == Code::OK);
  const std::string id = site.project_.id();
  CHECK(site.project_.state() == v1::PROJECT_STATE_REQUESTED);
  CHECK(site.Act(ada, id, v1::PROJECT_ACT_APPROVE) == Code::PERMISSION_DENIED);
  CHECK(site.Act(sam, id, v1::PROJECT_ACT_APPROVE) == Code::PERMISSION_DENIED);
  CHECK(site.Act(bob, id, v1::PROJECT_ACT_APPROVE) == Code::NOT_FOUND);
  for (const std::string& token : {ada, bob, sam}) {
    CHECK(site.Call(token, &Stub::SetProjectTerms, site.Terms(id, "chem")) ==
          Code::PERMISSION_DENIED);
  }
  site.List(bob, true);
  CHECK(site.status_.error_code() == Code::PERMISSION_DENIED);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='project-approve' AND "
                 "decision='refuse'") == "3");
}

TEST_CASE("project service: an act that is none is refused", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  REQUIRE(site.Create(ada) == Code::OK);
  const std::string id = site.project_.id();
  for (const int act : {-1, 0, 5, 6, 7, 99}) {
    CHECK(site.Act(ada, id, static_cast<v1::ProjectAct>(act)) ==
          Code::INVALID_ARGUMENT);
  }
  // 100 and 101 are ours, of rpcs of their own.
  for (const int act : {-1, 0, 14, 100, 101}) {
    CHECK(site.ActOn(ada, id, "ada", static_cast<v1::MemberAct>(act)) ==
          Code::INVALID_ARGUMENT);
  }
  CHECK(site.Create(ada, "") == Code::INVALID_ARGUMENT);
}

TEST_CASE(
    "project service: from the wish to a member, with an entry of each "
    "step",
    "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(ada) == Code::OK);
  const std::string id = site.project_.id();
  CHECK(site.List(carol).projects().empty());
  CHECK(site.List(carol).waiting_count() == 1);
  CHECK(site.List(carol, true).projects_size() == 1);
  REQUIRE(site.Act(carol, id, v1::PROJECT_ACT_APPROVE) == Code::OK);

  site.directory_.Say("nobody", absl::NotFoundError("no such person"));
  CHECK(site.Invite(ada, id, "nobody") == Code::NOT_FOUND);
  REQUIRE(site.Invite(ada, id, "bob") == Code::OK);
  REQUIRE(site.Get(bob, id) == Code::OK);
  CHECK(MayOf(site.project_, "bob") ==
        std::vector<int>{v1::MEMBER_ACT_ACCEPT, v1::MEMBER_ACT_DECLINE});
  REQUIRE(site.ActOn(bob, id, "bob", v1::MEMBER_ACT_ACCEPT) == Code::OK);
  CHECK(site.project_.place() == v1::PROJECT_PLACE_WAITING);
  REQUIRE(site.Get(carol, id) == Code::OK);
  CHECK(MayOf(site.project_, "bob") == std::vector<int>{v1::MEMBER_ACT_REMOVE,
                                                        v1::MEMBER_ACT_CONFIRM,
                                                        v1::MEMBER_ACT_REFUSE});
  REQUIRE(site.ActOn(carol, id, "bob", v1::MEMBER_ACT_CONFIRM) == Code::OK);
  REQUIRE(site.List(bob).projects_size() == 1);
  CHECK(site.List(bob).projects(0).usable());
  CHECK(site.Ask("SELECT actor || ' ' || subject || ' ' || result FROM audit "
                 "WHERE act='project-member-confirm'") ==
        "carol " + id + " bob ok");
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act LIKE 'project-%' AND "
                 "decision='allow'") == "5");
}

TEST_CASE("project service: an administrator's terms, with a fresh factor",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(ada) == Code::OK);
  const std::string id = site.project_.id();
  v1::SetProjectTermsRequest terms = site.Terms(id, "chem");
  terms.mutable_expires_at()->set_seconds(1);
  CHECK(site.Call(carol, &Stub::SetProjectTerms, terms) ==
        Code::INVALID_ARGUMENT);
  // A year that no clock has.
  terms.mutable_expires_at()->set_seconds(INT64_MAX);
  CHECK(site.Call(carol, &Stub::SetProjectTerms, terms) ==
        Code::INVALID_ARGUMENT);
  terms.mutable_expires_at()->set_seconds(1'800'086'400);
  REQUIRE(site.Call(carol, &Stub::SetProjectTerms, terms) == Code::OK);
  CHECK(site.project_.account() == "chem");
  CHECK(site.project_.expires_at().seconds() == 1'800'086'400);
  CHECK(site.Ask("SELECT result FROM audit WHERE act='project-terms' AND "
                 "decision='allow'") ==
        "ok: account \"chem\", end 2027-01-16T08:00:00Z");
  site.clock_.Advance(absl::Minutes(11));
  CHECK(site.Call(carol, &Stub::SetProjectTerms, terms) ==
        Code::FAILED_PRECONDITION);
}

TEST_CASE("project service: a request that is rejected leaves nothing to see",
          "[backend]") {
  Served site;
  const std::string bob = site.LogIn("bob").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol) == Code::OK);
  const std::string id = site.project_.id();
  CHECK(site.project_.state() == v1::PROJECT_STATE_ACTIVE);
  CHECK(site.Join(bob, std::string("zzzzzzzzzzzzzzzz")) == Code::NOT_FOUND);
  REQUIRE(site.Join(bob, id) == Code::OK);
  CHECK(site.Join(bob, id) == Code::FAILED_PRECONDITION);
  CHECK(site.ActOn(bob, id, "bob", v1::MEMBER_ACT_APPROVE) ==
        Code::PERMISSION_DENIED);
  REQUIRE(site.ActOn(carol, id, "bob", v1::MEMBER_ACT_REJECT) == Code::OK);
  CHECK(site.Get(bob, id) == Code::NOT_FOUND);
  CHECK(site.List(bob).projects().empty());
}

}  // namespace
}  // namespace carme
