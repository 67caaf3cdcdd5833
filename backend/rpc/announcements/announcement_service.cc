#include "backend/rpc/announcements/announcement_service.h"

#include <grpcpp/server_context.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/announcements/announcement_rules.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/store/database_error.h"
#include "carme/v1/announcement.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The result of an audit entry has 320 bytes, for the announcement before and
// after a change.
constexpr size_t kMaxAuditedText = 145;

void FillShown(const Announcement& from, v1::Announcement* announcement) {
  announcement->set_id(from.id);
  announcement->set_title(from.title);
  announcement->set_text(from.text);
  announcement->set_level(from.level);
  Fill(from.starts_at, announcement->mutable_starts_at());
  Fill(from.ends_at, announcement->mutable_ends_at());
  Fill(from.set_at, announcement->mutable_set_at());
}

void FillDetails(const Announcement& from, v1::AnnouncementDetails* details) {
  FillShown(from, details->mutable_announcement());
  details->set_audience(from.audience);
  details->set_audience_name(from.audience_name);
  details->set_set_by(from.set_by);
}

std::string Audited(const Announcement& announcement) {
  return Readable(AuditedText(announcement), kMaxAuditedText);
}

class AnnouncementService : public v1::AnnouncementService::Service {
 public:
  AnnouncementService(Announcements* announcements, AuditLog* audit)
      : announcements_(*announcements), audit_(audit) {}

  grpc::Status ListPublicAnnouncements(
      grpc::ServerContext* /*context*/,
      const v1::ListPublicAnnouncementsRequest* /*request*/,
      v1::ListPublicAnnouncementsResponse* response) override {
    for (const Announcement& announcement : announcements_.Public()) {
      FillShown(announcement, response->add_announcements());
    }
    return grpc::Status::OK;
  }

  grpc::Status ListAnnouncements(
      grpc::ServerContext* context,
      const v1::ListAnnouncementsRequest* /*request*/,
      v1::ListAnnouncementsResponse* response) override {
    for (const Announcement& announcement :
         announcements_.For(CallerOf(*context).session)) {
      FillShown(announcement, response->add_announcements());
    }
    return grpc::Status::OK;
  }

  grpc::Status ListAnnouncementDetails(
      grpc::ServerContext* /*context*/,
      const v1::ListAnnouncementDetailsRequest* /*request*/,
      v1::ListAnnouncementDetailsResponse* response) override {
    for (const Announcement& announcement : announcements_.All()) {
      FillDetails(announcement, response->add_announcements());
    }
    return grpc::Status::OK;
  }

  grpc::Status CreateAnnouncement(
      grpc::ServerContext* context,
      const v1::CreateAnnouncementRequest* request,
      v1::CreateAnnouncementResponse* response) override {
    const Caller caller = CallerOf(*context);
    const auto create = [&]() -> absl::StatusOr<Announcement> {
      RETURN_IF_ERROR(audit_->Ready());
      return announcements_.Create(request->details(), caller.session.username);
    };
    const absl::StatusOr<Announcement> created = create();
    AuditEvent event = EventOf(*context, caller, "create-announcement");
    std::string done;
    if (created.ok()) {
      event.subject = created->id;
      done = absl::StrCat("after: ", Audited(*created));
      FillDetails(*created, response->mutable_details());
    }
    return Finish(std::move(event), created.status(), done, caller);
  }

  grpc::Status UpdateAnnouncement(
      grpc::ServerContext* context,
      const v1::UpdateAnnouncementRequest* request,
      v1::UpdateAnnouncementResponse* response) override {
    const Caller caller = CallerOf(*context);
    const auto update = [&]() -> absl::StatusOr<Announcements::Change> {
      RETURN_IF_ERROR(audit_->Ready());
      return announcements_.Update(request->details(), caller.session.username);
    };
    const absl::StatusOr<Announcements::Change> change = update();
    AuditEvent event = EventOf(*context, caller, "update-announcement");
    event.subject = request->details().announcement().id();
    std::string done;
    if (change.ok()) {
      done = absl::StrCat("before: ", Audited(change->before),
                          "; after: ", Audited(change->after));
      FillDetails(change->after, response->mutable_details());
    }
    return Finish(std::move(event), change.status(), done, caller);
  }

  grpc::Status DeleteAnnouncement(
      grpc::ServerContext* context,
      const v1::DeleteAnnouncementRequest* request,
      v1::DeleteAnnouncementResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const auto remove = [&]() -> absl::StatusOr<Announcement> {
      RETURN_IF_ERROR(audit_->Ready());
      return announcements_.Delete(request->id());
    };
    const absl::StatusOr<Announcement> deleted = remove();
    AuditEvent event = EventOf(*context, caller, "delete-announcement");
    event.subject = request->id();
    const std::string done =
        deleted.ok() ? absl::StrCat("before: ", Audited(*deleted)) : "";
    return Finish(std::move(event), deleted.status(), done, caller);
  }

 private:
  // `done`: what a successful change has done, for the audit log.
  grpc::Status Finish(AuditEvent event, const absl::Status& status,
                      const std::string& done, const Caller& caller) {
    event = Outcome(std::move(event), status);
    if (!done.empty()) absl::StrAppend(&event.result, "; ", done);
    const absl::Status noted = RecordChange(audit_, event);
    if (!noted.ok()) return ToGrpc(noted);
    // UNAVAILABLE with a message for administrators is a refusal, too.
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) {
      return ToGrpc(status);
    }
    return ToGrpc(ClientError(status, caller, "announcements"));
  }

  Announcements& announcements_;
  AuditLog* const audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAnnouncementService(
    Announcements* announcements, AuditLog* audit) {
  return std::make_unique<AnnouncementService>(announcements, audit);
}

}  // namespace carme::backend
