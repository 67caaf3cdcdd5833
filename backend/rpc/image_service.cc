#include "backend/rpc/image_service.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/images/image_proto.h"
#include "backend/images/image_rules.h"
#include "backend/images/image_sharing.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/caller.h"
#include "backend/rpc/image_request.h"
#include "backend/rpc/told.h"
#include "backend/store/database_error.h"
#include "carme/v1/image.grpc.pb.h"
#include "common/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kLongestSubject = 128;

class ImageService : public v1::ImageService::Service {
 public:
  explicit ImageService(const ImageServiceParts& parts) : parts_(parts) {}

  grpc::Status ListImages(grpc::ServerContext* context,
                          const v1::ListImagesRequest* /*request*/,
                          v1::ListImagesResponse* response) override {
    const Person person = PersonOf(CallerOf(*context).session);
    Settle();
    for (const ImageCatalogue::Shown& shown : parts_.images->List(person)) {
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
                  Add(CallerOf(*context).session, *request), response);
  }

  grpc::Status ChangeImage(grpc::ServerContext* context,
                           const v1::ChangeImageRequest* request,
                           v1::ChangeImageResponse* response) override {
    return Answer(*context, "change-image", request->id(),
                  Change(CallerOf(*context).session, *request), response);
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
    return Answer(*context, "set-image-state", request->id(),
                  ChangeOwn(*context, request->id(),
                            [&](ImageRecord* record) -> absl::Status {
                              if (record->held) {
                                return absl::FailedPreconditionError(
                                    "an administrator has withdrawn it: ask "
                                    "one");
                              }
                              return TakeState(request->state(), record);
                            }),
                  response);
  }

  grpc::Status RemoveImage(grpc::ServerContext* context,
                           const v1::RemoveImageRequest* request,
                           v1::RemoveImageResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status removed = Remove(caller.session, request->id());
    AuditEvent event =
        Outcome(EventOf(*context, caller, "remove-image"), removed);
    event.subject = Readable(request->id(), kLongestSubject);
    const absl::Status noted = RecordChange(parts_.audit, event);
    return ToGrpc(noted.ok() ? Shown(removed, caller) : noted);
  }

  grpc::Status OfferImage(grpc::ServerContext* context,
                          const v1::OfferImageRequest* request,
                          v1::OfferImageResponse* response) override {
    return Share(*context, "offer-image", *request, carme::OfferImage,
                 response);
  }

  grpc::Status ShareImage(grpc::ServerContext* context,
                          const v1::ShareImageRequest* request,
                          v1::ShareImageResponse* response) override {
    return Share(*context, "share-image", *request, ApproveImage, response);
  }

  grpc::Status UnshareImage(grpc::ServerContext* context,
                            const v1::UnshareImageRequest* request,
                            v1::UnshareImageResponse* response) override {
    return Share(*context, "unshare-image", *request, carme::UnshareImage,
                 response);
  }

 private:
  static std::string OwnId(const Session& session, const std::string& name) {
    return absl::StrCat(session.username, "/", name);
  }

  void Settle() {
    parts_.images->Settle(
        [this](const JobId& job) { return parts_.jobs->live().Has(job); });
  }

  absl::StatusOr<ImageRecord> Import(const grpc::ServerContext& context,
                                     const Caller& caller,
                                     const v1::ImportImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    Settle();
    ASSIGN_OR_RETURN(ImageRecord record, Wanted(caller.session, request));
    const std::string id = record.image.id;
    RETURN_IF_ERROR(parts_.images->Add(std::move(record)).status());
    const absl::StatusOr<Job> job = parts_.jobs->Submit(
        caller.session,
        {.name = Readable(absl::StrCat("image ", request.name()), 64),
         .partition = request.partition(),
         .builds = id},
        "", EventOf(context, caller, "submit"));
    if (!job.ok()) {
      // Without a job there is no image; what is left is marked in time.
      parts_.images->Remove(id, caller.session.uid).IgnoreError();
      return job.status();
    }
    return parts_.images->Change(id, [&](ImageRecord* known) {
      known->build_job = job->id;
      return absl::OkStatus();
    });
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
    record.state = ImageState::kBuilding;
    record.source = static_cast<ImageSource>(request.source());
    record.source_path = request.path();
    return record;
  }

  absl::Status Remove(const Session& session, const std::string& id) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    Settle();
    for (const Job& job : parts_.jobs->live().All()) {
      if (HasEnded(job) || (job.spec.image != id && job.spec.builds != id)) {
        continue;
      }
      // Not to be learned of images that are somebody else's.
      RETURN_IF_ERROR(
          parts_.images
              ->ChangeOwn(id, session.uid,
                          [](ImageRecord*) { return absl::OkStatus(); })
              .status());
      return absl::FailedPreconditionError(
          "jobs use it now: expected them to have ended");
    }
    return parts_.images->Remove(id, session.uid);
  }

  absl::StatusOr<ImageRecord> ChangeOwn(const grpc::ServerContext& context,
                                        const std::string& id,
                                        const ImageCatalogue::Edit& edit) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    Settle();
    return parts_.images->ChangeOwn(id, CallerOf(context).session.uid, edit);
  }

  using Sharing = absl::Status (*)(const ShareTarget& target,
                                   const Sharer& sharer, ImageRecord* record);

  template <typename Request, typename Response>
  grpc::Status Share(const grpc::ServerContext& context, const char* act,
                     const Request& request, Sharing share,
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
                                     const Request& request, Sharing share) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    if (request.group().empty() == request.project().empty()) {
      return absl::InvalidArgumentError(
          "group, project: expected exactly one of both");
    }
    // The directory's word of now, not the session's of the log-in.
    absl::StatusOr<Person> person = parts_.who_is(session.username);
    if (absl::IsNotFound(person.status()) ||
        (person.ok() && person->uid != session.uid)) {
      return absl::PermissionDeniedError(
          "the site's directory does not let you in");
    }
    RETURN_IF_ERROR(person.status());
    ASSIGN_OR_RETURN(const Sharer sharer, parts_.images->SharerOf(*person));
    absl::StatusOr<ImageRecord> changed =
        parts_.images->Change(request.id(), [&](ImageRecord* record) {
          return share({request.group(), request.project()}, sharer, record);
        });
    if (changed.ok()) HideShares(sharer, &*changed);
    return changed;
  }

  absl::Status TakeSettings(const v1::ImageSettings& settings,
                            ImageRecord* record) const {
    RETURN_IF_ERROR(Apply(settings, record));
    RETURN_IF_ERROR(CheckAudience(*record));
    return CheckImageSettings(record->image, parts_.config->apps);
  }

  // Those that it has had may have ended since.
  absl::Status CheckProjects(const Session& caller,
                             const std::vector<std::string>& projects,
                             const std::vector<std::string>& before) const {
    if (projects == before) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Sharer sharer,
                     parts_.images->SharerOf(PersonOf(caller)));
    return carme::CheckProjects(projects, before, sharer);
  }

  absl::StatusOr<ImageRecord> Add(const Session& caller,
                                  const v1::AddImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(CheckFile(request));
    ImageRecord record;
    RETURN_IF_ERROR(TakeSettings(request.settings(), &record));
    RETURN_IF_ERROR(CheckProjects(caller, record.projects, {}));
    record.image.id = request.id();
    record.image.path = request.path();
    record.image.sha256 = request.sha256();
    record.size_bytes = request.size_bytes();
    return parts_.images->Add(std::move(record));
  }

  absl::StatusOr<ImageRecord> Change(const Session& caller,
                                     const v1::ChangeImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    return parts_.images->Change(
        request.id(), [&](ImageRecord* record) -> absl::Status {
          const std::vector<std::string> before = record->projects;
          RETURN_IF_ERROR(TakeSettings(request.settings(), record));
          RETURN_IF_ERROR(CheckProjects(caller, record->projects, before));
          RETURN_IF_ERROR(TakeState(request.state(), record));
          record->held = !record->image.owner.empty() &&
                         record->state == ImageState::kWithdrawn;
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
        if (record->state == ImageState::kBuilding ||
            record->state == ImageState::kFailed) {
          return absl::FailedPreconditionError("the image is not there yet");
        }
        record->state = static_cast<ImageState>(state);
        return absl::OkStatus();
      default:
        return absl::InvalidArgumentError(
            "state: expected active, deprecated or withdrawn");
    }
  }

  template <typename Response>
  grpc::Status Answer(const grpc::ServerContext& context, const char* act,
                      const std::string& id,
                      const absl::StatusOr<ImageRecord>& record,
                      Response* response) {
    const Caller caller = CallerOf(context);
    AuditEvent event = Outcome(EventOf(context, caller, act), record.status());
    event.subject = Readable(id, kLongestSubject);
    if (record.ok()) absl::StrAppend(&event.result, WordsOf(*record));
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!record.ok()) return ToGrpc(Shown(record.status(), caller));
    Fill(*record, response->mutable_image());
    return grpc::Status::OK;
  }

  // What counts for the record: in whose reach it is, and how much it opens.
  static std::string WordsOf(const ImageRecord& record) {
    static constexpr const char* kNames[] = {"building", "active", "deprecated",
                                             "withdrawn", "failed"};
    return absl::StrCat(": ", kNames[static_cast<int>(record.state) - 1],
                        ", sha256 ", record.image.sha256, ", mounts ",
                        record.image.mounts.size());
  }

  // That Slurm is away is said in words for people already.
  static absl::Status Shown(const absl::Status& status, const Caller& caller) {
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) return status;
    return Told(status, caller, "images");
  }

  const ImageServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewImageService(const ImageServiceParts& parts) {
  return std::make_unique<ImageService>(parts);
}

}  // namespace carme
