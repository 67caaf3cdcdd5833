#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/project.grpc.pb.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Stub = v1::ProjectService::Stub;

class Served : public AccountSite {
 public:
  Served()
      : projects_({.database = database_.get(),
                   .clock = &clock_,
                   .audit = audit_.get(),
                   .directory = &directory_},
                  {}) {
    directory_.SetFindByMail(
        [](const std::string& mail) -> absl::StatusOr<std::string> {
          if (mail == "bob@x.org") return "bob";
          if (mail == "two@x.org") {
            return absl::FailedPreconditionError("several");
          }
          if (mail == "away@x.org") {
            return absl::UnavailableError("ldaps://secret");
          }
          return absl::NotFoundError("none");
        });
    ServiceMap services;
    services["project"] = NewProjectService(&projects_, audit_.get(), &slurm_);
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
  // Of the project, or of the caller in it.
  template <typename Request, typename Response>
  Code On(const std::string& token,
          grpc::Status (Stub::*rpc)(grpc::ClientContext*, const Request&,
                                    Response*),
          const std::string& id) {
    Request request;
    request.set_project_id(id);
    return Call(token, rpc, request);
  }
  // Of a member.
  template <typename Request, typename Response>
  Code On(const std::string& token,
          grpc::Status (Stub::*rpc)(grpc::ClientContext*, const Request&,
                                    Response*),
          const std::string& id, const std::string& username) {
    Request request;
    request.set_project_id(id);
    request.set_username(username);
    return Call(token, rpc, request);
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

  FakeSlurm slurm_{&clock_};
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

TEST_CASE("project service: only administrators approve", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string sam = site.LogIn("sam").token;
  REQUIRE(site.Create(ada) == Code::OK);
  const std::string id = site.project_.id();
  CHECK(site.project_.state() == v1::PROJECT_STATE_REQUESTED);
  CHECK(site.On(ada, &Stub::ApproveProject, id) == Code::PERMISSION_DENIED);
  CHECK(site.On(sam, &Stub::ApproveProject, id) == Code::PERMISSION_DENIED);
  CHECK(site.On(bob, &Stub::ApproveProject, id) == Code::NOT_FOUND);
  for (const std::string& token : {ada, bob, sam}) {
    CHECK(site.Call(token, &Stub::SetProjectTerms, site.Terms(id, "chem")) ==
          Code::PERMISSION_DENIED);
  }
  site.List(bob, true);
  CHECK(site.status_.error_code() == Code::PERMISSION_DENIED);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='project-approve' AND "
                 "decision='refuse'") == "3");
}

TEST_CASE("project service: refuses a project without a name", "[backend]") {
  Served site;
  CHECK(site.Create(site.LogIn("ada").token, "") == Code::INVALID_ARGUMENT);
}

TEST_CASE("project service: each method leaves its own audit entry",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const std::string id = "zzzzzzzzzzzzzzzz";
  const auto check = [&](const std::string& name, Code code,
                         const std::string& subject) {
    INFO(name);
    CHECK(code == Code::NOT_FOUND);
    CHECK(site.Ask("SELECT decision || ' ' || subject FROM audit WHERE act='" +
                   name + "'") == "refuse " + subject);
  };
  const auto project = [&](const std::string& name, auto rpc) {
    check(name, site.On(carol, rpc, id), id);
  };
  project("project-approve", &Stub::ApproveProject);
  project("project-refuse", &Stub::RejectProject);
  project("project-close", &Stub::CloseProject);
  project("project-reopen", &Stub::ReopenProject);
  const auto self = [&](const std::string& name, auto rpc) {
    check(name, site.On(carol, rpc, id), id + " carol");
  };
  self("project-member-withdraw", &Stub::WithdrawMembershipRequest);
  self("project-member-accept", &Stub::AcceptInvitation);
  self("project-member-decline", &Stub::DeclineInvitation);
  self("project-member-leave", &Stub::LeaveProject);
  const auto member = [&](const std::string& name, auto rpc) {
    check(name, site.On(carol, rpc, id, "bob"), id + " bob");
  };
  member("project-member-revoke", &Stub::RevokeInvitation);
  member("project-member-approve", &Stub::ApproveMember);
  member("project-member-reject", &Stub::RejectMember);
  member("project-member-remove", &Stub::RemoveMember);
  member("project-member-confirm", &Stub::ConfirmMember);
  member("project-member-refuse", &Stub::RefuseMember);
  member("project-manager-make", &Stub::PromoteMember);
  member("project-manager-unmake", &Stub::DemoteManager);
  member("project-hand-over", &Stub::TransferOwnership);
}

TEST_CASE("project service: a user answers only their own invitation",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol) == Code::OK);
  const std::string id = site.project_.id();
  REQUIRE(site.Invite(carol, id, "bob") == Code::OK);
  CHECK(site.On(ada, &Stub::AcceptInvitation, id) == Code::NOT_FOUND);
  CHECK(site.On(carol, &Stub::AcceptInvitation, id) ==
        Code::FAILED_PRECONDITION);
  CHECK(site.On(bob, &Stub::LeaveProject, id) == Code::FAILED_PRECONDITION);
  CHECK(site.On(bob, &Stub::ApproveMember, id, "bob") ==
        Code::PERMISSION_DENIED);
  REQUIRE(site.On(bob, &Stub::DeclineInvitation, id) == Code::OK);
  CHECK(site.project_.id().empty());
  CHECK(site.Get(bob, id) == Code::NOT_FOUND);
}

TEST_CASE(
    "project service: from the request to a member, with an audit entry of "
    "each step",
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
  REQUIRE(site.On(carol, &Stub::ApproveProject, id) == Code::OK);

  site.directory_.SetPerson("nobody", absl::NotFoundError("no such person"));
  CHECK(site.Invite(ada, id, "nobody") == Code::NOT_FOUND);
  REQUIRE(site.Invite(ada, id, "bob") == Code::OK);
  REQUIRE(site.Get(bob, id) == Code::OK);
  CHECK(MayOf(site.project_, "bob") ==
        std::vector<int>{v1::MEMBER_ACTION_ACCEPT, v1::MEMBER_ACTION_DECLINE});
  REQUIRE(site.On(bob, &Stub::AcceptInvitation, id) == Code::OK);
  CHECK(site.project_.role() == v1::PROJECT_ROLE_WAITING);
  REQUIRE(site.Get(carol, id) == Code::OK);
  CHECK(MayOf(site.project_, "bob") ==
        std::vector<int>{v1::MEMBER_ACTION_REMOVE, v1::MEMBER_ACTION_CONFIRM,
                         v1::MEMBER_ACTION_REFUSE});
  REQUIRE(site.On(carol, &Stub::ConfirmMember, id, "bob") == Code::OK);
  REQUIRE(site.List(bob).projects_size() == 1);
  CHECK(site.List(bob).projects(0).usable());
  CHECK(site.Ask("SELECT actor || ' ' || subject || ' ' || result FROM audit "
                 "WHERE act='project-member-confirm'") ==
        "carol " + id + " bob ok");
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act LIKE 'project-%' AND "
                 "decision='allow'") == "5");
}

TEST_CASE("project service: setting the terms requires an administrator",
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

TEST_CASE("project service: only administrators add, and only existing users",
          "[backend]") {
  Served site;
  site.directory_.SetPerson("gone", absl::NotFoundError("no entry"));
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol, "Physics") == Code::OK);
  const std::string id = site.project_.id();
  const auto add = [&](const std::string& token, const std::string& username,
                       const std::string& email,
                       v1::ProjectRole place = v1::PROJECT_ROLE_UNSPECIFIED) {
    v1::AddMemberRequest request;
    request.set_project_id(id);
    request.set_username(username);
    request.set_email(email);
    request.set_role(place);
    return site.Call(token, &Stub::AddMember, request);
  };
  CHECK(add(ada, "ada", "") == Code::PERMISSION_DENIED);
  CHECK(add(carol, "", "") == Code::INVALID_ARGUMENT);
  CHECK(add(carol, "bob", "bob@x.org") == Code::INVALID_ARGUMENT);
  CHECK(add(carol, "bob", "", v1::PROJECT_ROLE_OWNER) ==
        Code::INVALID_ARGUMENT);
  CHECK(add(carol, "bob", "", v1::PROJECT_ROLE_INVITED) ==
        Code::INVALID_ARGUMENT);
  CHECK(add(carol, "gone", "") == Code::NOT_FOUND);
  CHECK(add(carol, "not a name", "") == Code::NOT_FOUND);
  CHECK(add(carol, "", "none@x.org") == Code::NOT_FOUND);
  CHECK(add(carol, "", "two@x.org") == Code::FAILED_PRECONDITION);
  CHECK(add(carol, "", "away@x.org") == Code::UNAVAILABLE);
  CHECK(site.status_.error_message().find("secret") == std::string::npos);
  REQUIRE(site.Get(carol, id) == Code::OK);
  CHECK(site.project_.member_count() == 1);
  REQUIRE(site.On(carol, &Stub::CloseProject, id) == Code::OK);
  CHECK(add(carol, "bob", "") == Code::FAILED_PRECONDITION);
}

TEST_CASE("project service: an added user is a member before any login",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol, "Physics") == Code::OK);
  const std::string id = site.project_.id();
  const auto add = [&](const std::string& username, const std::string& email,
                       v1::ProjectRole place) {
    CallWith call(carol);
    v1::AddMemberRequest request;
    request.set_project_id(id);
    request.set_username(username);
    request.set_email(email);
    request.set_role(place);
    v1::AddMemberResponse response;
    const grpc::Status status =
        site.stub_->AddMember(&call, request, &response);
    INFO(status.error_message());
    REQUIRE_THAT(status, IsOk());
    return response;
  };
  // Neither of them has ever logged in.
  v1::AddMemberResponse added =
      add("", "bob@x.org", v1::PROJECT_ROLE_UNSPECIFIED);
  CHECK(added.username() == "bob");
  CHECK(added.changed());
  CHECK(added.project().member_count() == 2);
  CHECK_FALSE(add("bob", "", v1::PROJECT_ROLE_MEMBER).changed());
  CHECK(add("bob", "", v1::PROJECT_ROLE_MANAGER).changed());
  CHECK_FALSE(add("bob", "", v1::PROJECT_ROLE_MEMBER).changed());
  CHECK_FALSE(add("carol", "", v1::PROJECT_ROLE_MEMBER).changed());
  // Who was invited need not accept any more.
  REQUIRE(site.Invite(carol, id, "ada") == Code::OK);
  CHECK(add("ada", "", v1::PROJECT_ROLE_MEMBER).changed());
  const std::string bob = site.LogIn("bob").token;
  REQUIRE(site.Get(bob, id) == Code::OK);
  CHECK(site.project_.role() == v1::PROJECT_ROLE_MANAGER);
  CHECK(site.project_.usable());
  CHECK(site.AskNow("SELECT count(*) FROM events WHERE text LIKE "
                    "'The administrator carol%Physics%'") == "3");
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE "
                 "act='project-member-add' AND decision='allow'") == "6");
}

TEST_CASE("project service: a rejected request is invisible", "[backend]") {
  Served site;
  const std::string bob = site.LogIn("bob").token;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol) == Code::OK);
  const std::string id = site.project_.id();
  CHECK(site.project_.state() == v1::PROJECT_STATE_ACTIVE);
  CHECK(site.Join(bob, std::string("zzzzzzzzzzzzzzzz")) == Code::NOT_FOUND);
  REQUIRE(site.Join(bob, id) == Code::OK);
  CHECK(site.Join(bob, id) == Code::FAILED_PRECONDITION);
  CHECK(site.On(bob, &Stub::ApproveMember, id, "bob") ==
        Code::PERMISSION_DENIED);
  REQUIRE(site.On(carol, &Stub::RejectMember, id, "bob") == Code::OK);
  CHECK(site.Get(bob, id) == Code::NOT_FOUND);
  CHECK(site.List(bob).projects().empty());
}

TEST_CASE("project service: terms name an account that Slurm has",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol) == Code::OK);
  const std::string id = site.project_.id();
  const auto set = [&](const std::string& account) {
    return site.Call(carol, &Stub::SetProjectTerms, site.Terms(id, account));
  };
  // Nothing is known of accounts: there is nothing to check.
  CHECK(set("nixda") == Code::OK);
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = site.clock_.Now();
  SlurmAccounting accounting;
  accounting.associations = {{.account = "chem"}};
  cluster.accounting = std::make_shared<const SlurmAccounting>(accounting);
  cluster.enforcement.associations = true;
  site.slurm_.set_cluster(cluster);
  site.slurm_.Poll();
  CHECK(set("nixda") == Code::INVALID_ARGUMENT);
  CHECK(site.status_.error_message() == "Slurm has no account \"nixda\"");
  CHECK(set("chem") == Code::OK);
  CHECK(set("") == Code::OK);
  // PrivateData may hide it.
  cluster.enforcement.hides_associations = true;
  site.slurm_.set_cluster(cluster);
  site.slurm_.Poll();
  CHECK(set("nixda") == Code::OK);
}

}  // namespace
}  // namespace carme::backend
