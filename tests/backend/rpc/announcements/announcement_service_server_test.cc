#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/announcements/announcements.h"
#include "backend/projects/projects.h"
#include "backend/rpc/announcements/announcement_service.h"
#include "carme/v1/announcement.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class AnnouncementSite : public AccountSite {
 public:
  AnnouncementSite() {
    announcements_ = Announcements::Open({.database = database_.get(),
                                          .clock = &clock_,
                                          .person_lookup = &directory_,
                                          .directory = &directory_,
                                          .projects = &projects_})
                         .value();
    ServiceMap services;
    services["announcements"] =
        NewAnnouncementService(announcements_.get(), audit_.get());
    Serve(std::move(services));
    stub_ = v1::AnnouncementService::NewStub(AsFrontend());
  }
  v1::AnnouncementDetails Details(const std::string& title) {
    v1::AnnouncementDetails details;
    v1::Announcement& announcement = *details.mutable_announcement();
    announcement.set_title(title);
    announcement.set_text("Files move on **Friday**.");
    announcement.set_level(v1::ANNOUNCEMENT_LEVEL_INFO);
    announcement.mutable_ends_at()->set_seconds(
        absl::ToUnixSeconds(clock_.Now() + absl::Hours(2)));
    details.set_audience(v1::ANNOUNCEMENT_AUDIENCE_EVERYONE);
    return details;
  }
  Code Create(const std::string& token,
              const v1::AnnouncementDetails& details) {
    CallWith call(token);
    v1::CreateAnnouncementRequest request;
    *request.mutable_details() = details;
    v1::CreateAnnouncementResponse response;
    const grpc::Status status =
        stub_->CreateAnnouncement(&call, request, &response);
    id_ = response.details().announcement().id();
    return status.error_code();
  }
  Code Update(const std::string& token,
              const v1::AnnouncementDetails& details) {
    CallWith call(token);
    v1::UpdateAnnouncementRequest request;
    *request.mutable_details() = details;
    v1::UpdateAnnouncementResponse response;
    return stub_->UpdateAnnouncement(&call, request, &response).error_code();
  }
  Code Delete(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::DeleteAnnouncementRequest request;
    request.set_id(id);
    v1::DeleteAnnouncementResponse response;
    return stub_->DeleteAnnouncement(&call, request, &response).error_code();
  }
  v1::ListAnnouncementDetailsResponse ListAll(const std::string& token,
                                              Code expected) {
    CallWith call(token);
    v1::ListAnnouncementDetailsResponse response;
    CHECK(stub_->ListAnnouncementDetails(&call, {}, &response).error_code() ==
          expected);
    return response;
  }
  v1::ListAnnouncementsResponse ListFor(const std::string& token) {
    CallWith call(token);
    v1::ListAnnouncementsResponse response;
    REQUIRE_THAT(stub_->ListAnnouncements(&call, {}, &response), IsOk());
    return response;
  }
  // Without a session.
  v1::ListPublicAnnouncementsResponse ListPublic() {
    grpc::ClientContext call;
    v1::ListPublicAnnouncementsResponse response;
    REQUIRE_THAT(stub_->ListPublicAnnouncements(&call, {}, &response), IsOk());
    return response;
  }
  std::string AuditOf(const std::string& act) {
    return Ask(
        "SELECT actor || ' ' || decision || ' ' || subject || ' ' || result "
        "FROM audit "
        "WHERE act='" +
        act + "' ORDER BY sequence DESC");
  }

  Projects projects_{{.database = database_.get(),
                      .clock = &clock_,
                      .audit = audit_.get(),
                      .directory = &directory_},
                     ProjectsConfig()};
  std::unique_ptr<Announcements> announcements_;
  std::unique_ptr<v1::AnnouncementService::Stub> stub_;
  std::string id_;
};

TEST_CASE("announcement service: refuses everyone but administrators",
          "[rpc]") {
  AnnouncementSite site;
  const std::string ada = site.LogIn("ada").token;
  const std::string sam = site.LogIn("sam").token;
  for (const std::string& token : {ada, sam}) {
    CHECK(site.Create(token, site.Details("x")) == Code::PERMISSION_DENIED);
    CHECK(site.Update(token, site.Details("x")) == Code::PERMISSION_DENIED);
    CHECK(site.Delete(token, "x") == Code::PERMISSION_DENIED);
  }
  site.ListAll(ada, Code::PERMISSION_DENIED);
  site.ListAll(sam, Code::OK);
  CHECK(site.announcements_->All().empty());
}

TEST_CASE("announcement service: refuses invalid requests, and notes them",
          "[rpc]") {
  AnnouncementSite site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Create(carol, {}) == Code::INVALID_ARGUMENT);
  CHECK_THAT(site.AuditOf("create-announcement"),
             Catch::StartsWith("carol refuse"));
  v1::AnnouncementDetails details = site.Details("x");
  details.set_audience(v1::ANNOUNCEMENT_AUDIENCE_PROJECT);
  details.set_audience_name("nosuchproject");
  CHECK(site.Create(carol, details) == Code::NOT_FOUND);
  CHECK(site.Delete(carol, "nosuchid") == Code::NOT_FOUND);
  CHECK_THAT(site.AuditOf("delete-announcement"),
             Catch::Contains("carol refuse nosuchid"));
  CHECK(site.announcements_->All().empty());
}

TEST_CASE("announcement service: the log-in page has those for everyone",
          "[rpc]") {
  AnnouncementSite site;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol, site.Details("Storage")) == Code::OK);
  v1::AnnouncementDetails users = site.Details("Survey");
  users.set_audience(v1::ANNOUNCEMENT_AUDIENCE_USERS);
  REQUIRE(site.Create(carol, users) == Code::OK);
  const auto shown = site.ListPublic();
  REQUIRE(shown.announcements_size() == 1);
  CHECK(shown.announcements(0).title() == "Storage");
  CHECK(shown.announcements(0).text() == "Files move on **Friday**.");
  CHECK(site.ListFor(site.LogIn("ada").token).announcements_size() == 2);
}

TEST_CASE("announcement service: the audit log has a change before and after",
          "[rpc]") {
  AnnouncementSite site;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol, site.Details("Storage")) == Code::OK);
  CHECK_THAT(site.AuditOf("create-announcement"),
             Catch::Contains("carol allow " + site.id_ +
                             " ok; after: info for everyone"));
  v1::AnnouncementDetails changed = site.Details("New storage");
  changed.mutable_announcement()->set_id(site.id_);
  changed.mutable_announcement()->set_level(v1::ANNOUNCEMENT_LEVEL_WARNING);
  REQUIRE(site.Update(carol, changed) == Code::OK);
  const std::string update = site.AuditOf("update-announcement");
  CHECK_THAT(update, Catch::Contains("ok; before: info for everyone"));
  CHECK_THAT(update, Catch::Contains("\"Storage\""));
  CHECK_THAT(update, Catch::Contains("; after: warning for everyone"));
  CHECK_THAT(update, Catch::Contains("\"New storage\""));
  const auto all = site.ListAll(carol, Code::OK);
  REQUIRE(all.announcements_size() == 1);
  CHECK(all.announcements(0).set_by() == "carol");
  REQUIRE(site.Delete(carol, site.id_) == Code::OK);
  CHECK_THAT(site.AuditOf("delete-announcement"),
             Catch::Contains("\"New storage\""));
  CHECK(site.ListPublic().announcements_size() == 0);
}

}  // namespace
}  // namespace carme::backend
