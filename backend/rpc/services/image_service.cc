#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/audit/audit_log.h"
#include "backend/images/image_catalogue.h"
#include "backend/images/image_proto.h"
#include "backend/images/image_rules.h"
#include "backend/images/image_sharing.h"
#include "backend/jobs/image_builds.h"
#include "backend/jobs/image_copies.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/image_request.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/store/database_error.h"
#include "carme/v1/image.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 128;

bool Matches(const v1::ImageFilter& filter, const ImageRecord& record) {
  const Image& image = record.image;
  if (!filter.states().empty() &&
      std::find(filter.states().begin(), filter.states().end(), record.state) ==
          filter.states().end()) {
    return false;
  }
  if (!filter.owner().empty() && filter.owner() != image.owner) return false;
  return ContainsText(image.id, filter.search()) ||
         ContainsText(image.description, filter.search());
}

bool IsApproved(const ShareTarget& target, const ImageRecord& record) {
  return std::any_of(
      record.shares.begin(), record.shares.end(), [&](const ImageShare& share) {
        return share.target == target && !share.approved_by.empty();
      });
}

class ImageService : public v1::ImageService::Service {
 public:
  explicit ImageService(const ImageServiceParts& parts) : parts_(parts) {}

  grpc::Status ListImages(grpc::ServerContext* context,
                          const v1::ListImagesRequest* request,
                          v1::ListImagesResponse* response) override {
    const Caller caller = CallerOf(*context);
    const Person person = PersonOf(caller.session);
    const bool reads_all = ReadsEverything(
        ReadingRole(caller.session, {"images:read", "admin:read"}));
    const v1::ImageFilter& filter = request->filter();
    const absl::Status sound = CheckSearch("filter.search", filter.search());
    if (!sound.ok()) return ToGrpc(sound);
    FailOrphanedBuilds();
    std::vector<ImageCatalogue::Shown> images = parts_.images->List(person);
    std::erase_if(images, [&](const ImageCatalogue::Shown& shown) {
      const bool hidden = ReadsEverything(person.role) && !reads_all &&
                          !shown.usable && !shown.own;
      return hidden || !Matches(filter, shown.record);
    });
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &images);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const ImageCatalogue::Shown& shown : images) {
      v1::Image* row = response->add_images();
      Fill(shown.record, row);
      row->set_usable(shown.usable);
      row->set_own(shown.own);
      for (int i = 0; i < row->shares_size(); ++i) {
        row->mutable_shares(i)->set_may_approve(
            shown.to_approve[static_cast<size_t>(i)]);
      }
    }
    return grpc::Status::OK;
  }

  grpc::Status AddImage(grpc::ServerContext* context,
                        const v1::AddImageRequest* request,
                        v1::AddImageResponse* response) override {
    return Answer(*context, "add-image", request->id(),
                  Add(*context, CallerOf(*context), *request), response);
  }

  grpc::Status ChangeImage(grpc::ServerContext* context,
                           const v1::ChangeImageRequest* request,
                           v1::ChangeImageResponse* response) override {
    return Answer(*context, "change-image", request->id(),
                  Change(CallerOf(*context).session, *request), response);
  }

  grpc::Status CheckImage(grpc::ServerContext* context,
                          const v1::CheckImageRequest* request,
                          v1::CheckImageResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(*context, "check-image", request->id(),
                  Check(*context, caller, request->id(), request->partition()),
                  response);
  }

  grpc::Status RemoveSiteImage(
      grpc::ServerContext* context, const v1::RemoveSiteImageRequest* request,
      v1::RemoveSiteImageResponse* /*response*/) override {
    return Removed(*context, "remove-site-image", request->id(),
                   RemoveOfSite(request->id()));
  }

  grpc::Status ImportImage(grpc::ServerContext* context,
                           const v1::ImportImageRequest* request,
                           v1::ImportImageResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(*context, "import-image",
                  OwnId(caller.session, request->name()),
                  Import(*context, caller, *request), response);
  }

  grpc::Status SetImageState(grpc::ServerContext* context,
                             const v1::SetImageStateRequest* request,
                             v1::SetImageStateResponse* response) override {
    return Answer(
        *context, "set-image-state", request->id(),
        ChangeOwn(*context, request->id(),
                  [&](ImageRecord* record) -> absl::Status {
                    if (record->held) {
                      return MakeError(
                          rpc_service_messages::kImageWithdrawnByAdministrator);
                    }
                    return TakeState(request->state(), record);
                  }),
        response);
  }

  grpc::Status RemoveImage(grpc::ServerContext* context,
                           const v1::RemoveImageRequest* request,
                           v1::RemoveImageResponse* /*response*/) override {
    return Removed(*context, "remove-image", request->id(),
                   Remove(CallerOf(*context).session, request->id()));
  }

  grpc::Status RequestImageShare(
      grpc::ServerContext* context, const v1::RequestImageShareRequest* request,
      v1::RequestImageShareResponse* response) override {
    return Share(
        *context, "offer-image", *request,
        [this](const ShareTarget& target, const ImageUser& user,
               ImageRecord* record) -> absl::Status {
          RETURN_IF_ERROR(
              carme::backend::RequestImageShare(target, user, record));
          // Requested again although approved: the copy is missing.
          if (IsApproved(target, *record)) {
            RequestCopy(parts_.config->shared_images, record);
          }
          return absl::OkStatus();
        },
        response);
  }

  grpc::Status ShareImage(grpc::ServerContext* context,
                          const v1::ShareImageRequest* request,
                          v1::ShareImageResponse* response) override {
    return Share(
        *context, "share-image", *request,
        [this](const ShareTarget& target, const ImageUser& user,
               ImageRecord* record) -> absl::Status {
          const bool repeated = IsApproved(target, *record);
          RETURN_IF_ERROR(ApproveImage(target, user, record));
          // A ready copy also serves another group. A second approval for the
          // same group copies again: the copy may be lost or damaged.
          if (repeated || record->copy.state != v1::IMAGE_COPY_STATE_READY) {
            RequestCopy(parts_.config->shared_images, record);
          }
          return absl::OkStatus();
        },
        response);
  }

  grpc::Status UnshareImage(grpc::ServerContext* context,
                            const v1::UnshareImageRequest* request,
                            v1::UnshareImageResponse* response) override {
    return Share(*context, "unshare-image", *request,
                 carme::backend::UnshareImage, response);
  }

 private:
  static std::string OwnId(const Session& session, const std::string& name) {
    return absl::StrCat(session.username, "/", name);
  }

  void FailOrphanedBuilds() { FailOrphanedImages(parts_.images, parts_.jobs); }

  absl::StatusOr<ImageRecord> Import(const grpc::ServerContext& context,
                                     const Caller& caller,
                                     const v1::ImportImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedBuilds();
    ASSIGN_OR_RETURN(ImageRecord record, Wanted(caller.session, request));
    const std::string id = record.image.id;
    RETURN_IF_ERROR(parts_.images->Add(std::move(record)).status());
    return SubmitImageBuild(parts_.images, parts_.jobs, caller.session, id,
                            request.partition(),
                            EventOf(context, caller, "submit"));
  }

  absl::StatusOr<ImageRecord> Wanted(
      const Session& session, const v1::ImportImageRequest& request) const {
    RETURN_IF_ERROR(CheckImport(request));
    v1::ImageSettings settings;
    settings.set_description(request.description());
    *settings.mutable_apps() = request.apps();
    settings.set_driver(request.driver());
    settings.set_cuda(request.cuda());
    ImageRecord record;
    RETURN_IF_ERROR(TakeSettings(settings, &record));
    record.image.id = OwnId(session, request.name());
    record.image.owner = session.username;
    record.image.owner_uid = session.uid;
    record.state = v1::IMAGE_STATE_BUILDING;
    record.source = request.source();
    record.source_path = request.path();
    return record;
  }

  // Whether a job uses, builds, copies or checks the image.
  bool IsInUse(const std::string& id) {
    const std::vector<Job> jobs = parts_.jobs->active().All();
    return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
      return !HasEnded(job) && (job.spec.image == id || job.spec.builds == id);
    });
  }

  static absl::Status InUse() {
    return MakeError(rpc_service_messages::kImageInUse);
  }

  absl::Status RemoveOfSite(const std::string& id) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedBuilds();
    if (IsInUse(id)) return InUse();
    return parts_.images->RemoveOfSite(id);
  }

  grpc::Status Removed(const grpc::ServerContext& context, const char* act,
                       const std::string& id, const absl::Status& removed) {
    const Caller caller = CallerOf(context);
    AuditEvent event = Outcome(EventOf(context, caller, act), removed);
    event.subject = Readable(id, kMaxSubjectBytes);
    const absl::Status noted = RecordChange(parts_.audit, event);
    return ToGrpc(noted.ok() ? Shown(removed, caller) : noted);
  }

  // Checks a site image by a job that runs as the calling administrator.
  absl::StatusOr<ImageRecord> Check(const grpc::ServerContext& context,
                                    const Caller& caller, const std::string& id,
                                    const std::string& partition) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedBuilds();
    RETURN_IF_ERROR(
        parts_.images
            ->Change(id,
                     [&](ImageRecord* record) -> absl::Status {
                       if (!record->image.owner.empty()) {
                         return MakeError(
                             rpc_service_messages::kImageNotOfSite,
                             {{"image", id}, {"owner", record->image.owner}});
                       }
                       if (record->check.pending) {
                         return MakeError(
                             rpc_service_messages::kImageCheckRunning);
                       }
                       SetPending(record);
                       return absl::OkStatus();
                     })
            .status());
    return SubmitCheck(context, caller, id, partition);
  }

  static void SetPending(ImageRecord* record) {
    record->check.pending = true;
    record->check.job = JobId();
    record->check.since = absl::Now();
  }

  // REQUIRES: the check of the image is pending.
  absl::StatusOr<ImageRecord> SubmitCheck(const grpc::ServerContext& context,
                                          const Caller& caller,
                                          const std::string& id,
                                          const std::string& partition) {
    const absl::StatusOr<Job> job = parts_.jobs->Submit(
        caller.session,
        {.name = Readable(absl::StrCat("check image ", id), 64),
         .partition = partition,
         .builds = id},
        "", EventOf(context, caller, "submit"));
    const absl::StatusOr<ImageRecord> changed =
        parts_.images->Change(id, [&](ImageRecord* record) {
          if (!record->check.pending)
            return absl::OkStatus();  // already completed
          if (job.ok()) {
            record->check.job = job->id;
          } else {
            record->check.pending = false;
          }
          return absl::OkStatus();
        });
    RETURN_IF_ERROR(job.status());
    return changed;
  }

  absl::Status Remove(const Session& session, const std::string& id) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedBuilds();
    if (IsInUse(id)) {
      // Must not reveal images of other users.
      RETURN_IF_ERROR(
          parts_.images
              ->ChangeOwn(id, session.uid,
                          [](ImageRecord*) { return absl::OkStatus(); })
              .status());
      return InUse();
    }
    return parts_.images->Remove(id, session.uid);
  }

  absl::StatusOr<ImageRecord> ChangeOwn(const grpc::ServerContext& context,
                                        const std::string& id,
                                        const ImageCatalogue::Edit& edit) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedBuilds();
    return parts_.images->ChangeOwn(id, CallerOf(context).session.uid, edit);
  }

  using Sharing = std::function<absl::Status(
      const ShareTarget& target, const ImageUser& user, ImageRecord* record)>;

  template <typename Request, typename Response>
  grpc::Status Share(const grpc::ServerContext& context, const char* act,
                     const Request& request, const Sharing& share,
                     Response* response) {
    const absl::StatusOr<ImageRecord> changed =
        Shared(CallerOf(context).session, request, share);
    return Answer(context, act,
                  absl::StrCat(request.id(), " ", request.group(),
                               request.project().empty() ? "" : "project ",
                               request.project()),
                  changed, response);
  }

  template <typename Request>
  absl::StatusOr<ImageRecord> Shared(const Session& session,
                                     const Request& request,
                                     const Sharing& share) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    if (request.group().empty() == request.project().empty()) {
      return MakeError(rpc_service_messages::kImageShareTargetInvalid);
    }
    // Current groups from the directory, not those of the log-in.
    absl::StatusOr<Person> person =
        parts_.person_lookup->LookUp(session.username);
    if (absl::IsNotFound(person.status()) ||
        (person.ok() && person->uid != session.uid)) {
      return MakeError(rpc_service_messages::kImageShareAccountDenied);
    }
    RETURN_IF_ERROR(person.status());
    ASSIGN_OR_RETURN(const ImageUser user, parts_.images->ImageUserOf(*person));
    absl::StatusOr<ImageRecord> changed =
        parts_.images->Change(request.id(), [&](ImageRecord* record) {
          return share({request.group(), request.project()}, user, record);
        });
    if (changed.ok()) HideShares(user, &*changed);
    return changed;
  }

  absl::Status TakeSettings(const v1::ImageSettings& settings,
                            ImageRecord* record) const {
    RETURN_IF_ERROR(Apply(settings, record));
    RETURN_IF_ERROR(CheckAudience(*record));
    return CheckImageSettings(record->image, parts_.config->apps);
  }

  // Projects that the image already has may have ended.
  absl::Status CheckProjects(const Session& caller,
                             const std::vector<std::string>& projects,
                             const std::vector<std::string>& before) const {
    if (projects == before) return absl::OkStatus();
    ASSIGN_OR_RETURN(const ImageUser user,
                     parts_.images->ImageUserOf(PersonOf(caller)));
    return carme::backend::CheckProjects(projects, before, user);
  }

  absl::StatusOr<ImageRecord> Add(const grpc::ServerContext& context,
                                  const Caller& caller,
                                  const v1::AddImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(CheckFile(request));
    ImageRecord record;
    RETURN_IF_ERROR(TakeSettings(request.settings(), &record));
    RETURN_IF_ERROR(CheckProjects(caller.session, record.projects, {}));
    record.image.id = request.id();
    record.image.path = request.path();
    record.image.sha256 = request.sha256();
    record.size_bytes = request.size_bytes();
    if (!request.sha256().empty()) return parts_.images->Add(std::move(record));
    // A job measures the file first.
    record.state = v1::IMAGE_STATE_BUILDING;
    SetPending(&record);
    ASSIGN_OR_RETURN(const ImageRecord added,
                     parts_.images->Add(std::move(record)));
    absl::StatusOr<ImageRecord> checked =
        SubmitCheck(context, caller, added.image.id, "");
    if (!checked.ok()) {
      parts_.images->RemoveOfSite(added.image.id).IgnoreError();
    }
    return checked;
  }

  // Path and digest of one of the site's; of a user's they never change.
  static absl::Status TakeFile(const v1::ChangeImageRequest& request,
                               ImageRecord* record) {
    if (request.path().empty() && request.sha256().empty() &&
        request.size_bytes() == 0) {
      return absl::OkStatus();
    }
    if (!record->image.owner.empty()) {
      return MakeError(rpc_service_messages::kImageFileOfUserFixed);
    }
    if (record->check.pending) {
      return MakeError(rpc_service_messages::kImageCheckNotFinished);
    }
    const std::string path =
        request.path().empty() ? record->image.path : request.path();
    const std::string sha256 =
        request.sha256().empty() ? record->image.sha256 : request.sha256();
    RETURN_IF_ERROR(
        CheckFile(record->image.id, path, sha256, request.size_bytes()));
    const bool other =
        path != record->image.path || sha256 != record->image.sha256;
    record->image.path = path;
    record->image.sha256 = sha256;
    if (other || request.size_bytes() > 0) {
      record->size_bytes = request.size_bytes();
    }
    if (other) record->check = {};
    // An image that could not be measured is usable with a digest set by hand.
    if (record->state == v1::IMAGE_STATE_FAILED && !sha256.empty()) {
      record->state = v1::IMAGE_STATE_ACTIVE;
      record->problem.clear();
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ImageRecord> Change(const Session& caller,
                                     const v1::ChangeImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    return parts_.images->Change(
        request.id(), [&](ImageRecord* record) -> absl::Status {
          const std::vector<std::string> before = record->projects;
          RETURN_IF_ERROR(TakeSettings(request.settings(), record));
          RETURN_IF_ERROR(CheckProjects(caller, record->projects, before));
          RETURN_IF_ERROR(TakeFile(request, record));
          RETURN_IF_ERROR(TakeState(request.state(), record));
          record->held = !record->image.owner.empty() &&
                         record->state == v1::IMAGE_STATE_WITHDRAWN;
          return absl::OkStatus();
        });
  }

  static absl::Status TakeState(v1::ImageState state, ImageRecord* record) {
    switch (state) {
      case v1::IMAGE_STATE_UNSPECIFIED:
        return absl::OkStatus();
      case v1::IMAGE_STATE_ACTIVE:
      case v1::IMAGE_STATE_DEPRECATED:
      case v1::IMAGE_STATE_WITHDRAWN:
        if (record->state == v1::IMAGE_STATE_BUILDING ||
            record->state == v1::IMAGE_STATE_FAILED) {
          return MakeError(rpc_service_messages::kImageNotReady);
        }
        record->state = state;
        return absl::OkStatus();
      default:
        return MakeError(rpc_service_messages::kImageStateInvalid);
    }
  }

  template <typename Response>
  grpc::Status Answer(const grpc::ServerContext& context, const char* act,
                      const std::string& id,
                      const absl::StatusOr<ImageRecord>& record,
                      Response* response) {
    const Caller caller = CallerOf(context);
    AuditEvent event = Outcome(EventOf(context, caller, act), record.status());
    event.subject = Readable(id, kMaxSubjectBytes);
    if (record.ok()) absl::StrAppend(&event.result, AuditDetail(*record));
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!record.ok()) return ToGrpc(Shown(record.status(), caller));
    Fill(*record, response->mutable_image());
    return grpc::Status::OK;
  }

  // The audited fields: the image's audience and what it mounts.
  static std::string AuditDetail(const ImageRecord& record) {
    static constexpr const char* kNames[] = {"building", "active", "deprecated",
                                             "withdrawn", "failed"};
    return absl::StrCat(": ", kNames[static_cast<int>(record.state) - 1],
                        ", sha256 ", record.image.sha256, ", mounts ",
                        record.image.mounts.size());
  }

  // "Slurm is unavailable" already has a message for users.
  static absl::Status Shown(const absl::Status& status, const Caller& caller) {
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) return status;
    return ClientError(status, caller, "images");
  }

  const ImageServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewImageService(const ImageServiceParts& parts) {
  return std::make_unique<ImageService>(parts);
}

}  // namespace carme::backend
