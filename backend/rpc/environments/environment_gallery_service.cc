#include "backend/rpc/environments/environment_gallery_service.h"

#include <grpcpp/server_context.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backend/images/image_proto.h"
#include "backend/jobs/image_builds.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/store/database_error.h"
#include "carme/v1/environment_gallery.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 128;

class EnvironmentGalleryService
    : public v1::EnvironmentGalleryService::Service {
 public:
  explicit EnvironmentGalleryService(
      const EnvironmentGalleryServiceParts& parts)
      : parts_(parts) {}

  grpc::Status ListEnvironmentTemplates(
      grpc::ServerContext* context,
      const v1::ListEnvironmentTemplatesRequest* request,
      v1::ListEnvironmentTemplatesResponse* response) override {
    const Caller caller = CallerOf(*context);
    const std::vector<std::string> bases =
        parts_.gallery->BaseImages(caller.session);
    std::vector<v1::EnvironmentTemplate> templates =
        parts_.gallery->TemplatesFor(bases);
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &templates);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (v1::EnvironmentTemplate& one : templates) {
      *response->add_templates() = std::move(one);
    }
    response->set_pip_allowed(parts_.gallery->pip_allowed());
    response->set_conda_allowed(parts_.gallery->conda_allowed());
    *response->mutable_base_images() = {bases.begin(), bases.end()};
    return grpc::Status::OK;
  }

  grpc::Status BuildEnvironmentImage(
      grpc::ServerContext* context,
      const v1::BuildEnvironmentImageRequest* request,
      v1::BuildEnvironmentImageResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<ImageRecord> record =
        Build(*context, caller, *request);
    AuditEvent event = Outcome(
        EventOf(*context, caller, "build-environment-image"), record.status());
    event.subject = record.ok() ? record->image.id
                                : Readable(absl::StrCat(caller.session.username,
                                                        "/", request->name()),
                                           kMaxSubjectBytes);
    if (record.ok()) absl::StrAppend(&event.result, AuditDetail(*record));
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!record.ok()) return ToGrpc(Shown(record.status(), caller));
    Fill(*record, response->mutable_image());
    response->mutable_image()->set_own(true);
    return grpc::Status::OK;
  }

 private:
  absl::StatusOr<ImageRecord> Build(
      const grpc::ServerContext& context, const Caller& caller,
      const v1::BuildEnvironmentImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    FailOrphanedImages(parts_.images, parts_.jobs);
    ASSIGN_OR_RETURN(const ImageRecord wanted,
                     parts_.gallery->MakeImage(caller.session, request));
    ASSIGN_OR_RETURN(const ImageRecord added, AddNextVersion(wanted));
    return SubmitImageBuild(parts_.images, parts_.jobs, caller.session,
                            added.image.id, request.partition(),
                            EventOf(context, caller, "submit"));
  }

  // Each user has at most kMaxOwn images, so that one of these is free.
  absl::StatusOr<ImageRecord> AddNextVersion(const ImageRecord& wanted) {
    absl::StatusOr<ImageRecord> added;
    for (size_t version = 1; version <= ImageCatalogue::kMaxOwn + 1;
         ++version) {
      ImageRecord record = wanted;
      absl::StrAppend(&record.image.id, ":", version);
      added = parts_.images->Add(std::move(record));
      if (!absl::IsAlreadyExists(added.status())) break;
    }
    return added;
  }

  static std::string AuditDetail(const ImageRecord& record) {
    const v1::ImageRecipe& recipe = record.recipe;
    return absl::StrCat(": base ", recipe.base(), ", packages ",
                        recipe.debian_packages_size() +
                            recipe.pip_packages_size() +
                            recipe.conda_packages_size());
  }

  // "Slurm is unavailable" already has a message for users.
  static absl::Status Shown(const absl::Status& status, const Caller& caller) {
    if (absl::IsUnavailable(status) && !IsDatabaseError(status)) return status;
    return ClientError(status, caller, "images");
  }

  const EnvironmentGalleryServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewEnvironmentGalleryService(
    const EnvironmentGalleryServiceParts& parts) {
  return std::make_unique<EnvironmentGalleryService>(parts);
}

}  // namespace carme::backend
