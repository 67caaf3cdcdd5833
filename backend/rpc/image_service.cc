#include "backend/rpc/image_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/images/image_proto.h"
#include "backend/images/image_rules.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/caller.h"
#include "carme/v1/image.grpc.pb.h"
#include "common/file_digest.h"
#include "common/grpc_status.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kMostGroups = 64;
constexpr size_t kLongestGroup = 128;
constexpr size_t kLongestSubject = 128;

absl::Status CheckGroups(const std::vector<std::string>& groups) {
  const bool right =
      groups.size() <= kMostGroups &&
      std::all_of(groups.begin(), groups.end(), [](const std::string& name) {
        const auto length = PrintableLength(name);
        return length && *length > 0 && *length <= kLongestGroup;
      });
  if (right) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("groups: expected at most ", kMostGroups, " names of 1 to ",
                   kLongestGroup, " printable characters"));
}

absl::Status CheckFile(const v1::AddImageRequest& request) {
  if (!IsImageId(request.id())) {
    return absl::InvalidArgumentError(
        "id: expected name:version of letters, digits and \"._-+\"");
  }
  if (!IsImageFolder(request.path())) {
    return absl::InvalidArgumentError(
        "path: expected an absolute path without \":\" and \",\"");
  }
  if (!IsDigest(request.sha256())) {
    return absl::InvalidArgumentError(
        "sha256: expected 64 hexadecimal digits in lower case");
  }
  if (request.size_bytes() < 0) {
    return absl::InvalidArgumentError("sizeBytes: expected at least 0");
  }
  return absl::OkStatus();
}

class ImageService : public v1::ImageService::Service {
 public:
  explicit ImageService(const ImageServiceParts& parts) : parts_(parts) {}

  grpc::Status ListImages(grpc::ServerContext* context,
                          const v1::ListImagesRequest* /*request*/,
                          v1::ListImagesResponse* response) override {
    const Person person = PersonOf(CallerOf(*context).session);
    for (const ImageCatalogue::Shown& shown : parts_.images->List(person)) {
      v1::Image* row = response->add_images();
      Fill(shown.record, row);
      row->set_usable(shown.usable);
    }
    return grpc::Status::OK;
  }

  grpc::Status AddImage(grpc::ServerContext* context,
                        const v1::AddImageRequest* request,
                        v1::AddImageResponse* response) override {
    return Answer(*context, "add-image", request->id(), Add(*request),
                  response);
  }

  grpc::Status ChangeImage(grpc::ServerContext* context,
                           const v1::ChangeImageRequest* request,
                           v1::ChangeImageResponse* response) override {
    return Answer(*context, "change-image", request->id(), Change(*request),
                  response);
  }

 private:
  absl::Status TakeSettings(const v1::ImageSettings& settings,
                            ImageRecord* record) const {
    RETURN_IF_ERROR(Apply(settings, record));
    RETURN_IF_ERROR(CheckGroups(record->groups));
    return CheckImageSettings(record->image, parts_.config->apps);
  }

  absl::StatusOr<ImageRecord> Add(const v1::AddImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    RETURN_IF_ERROR(CheckFile(request));
    ImageRecord record;
    RETURN_IF_ERROR(TakeSettings(request.settings(), &record));
    record.image.id = request.id();
    record.image.path = request.path();
    record.image.sha256 = request.sha256();
    record.size_bytes = request.size_bytes();
    return parts_.images->Add(std::move(record));
  }

  absl::StatusOr<ImageRecord> Change(const v1::ChangeImageRequest& request) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    return parts_.images->Change(
        request.id(), [&](ImageRecord* record) -> absl::Status {
          RETURN_IF_ERROR(TakeSettings(request.settings(), record));
          return TakeState(request.state(), record);
        });
  }

  static absl::Status TakeState(v1::ImageState state, ImageRecord* record) {
    switch (state) {
      case v1::IMAGE_STATE_UNSPECIFIED:
        return absl::OkStatus();
      case v1::IMAGE_STATE_ACTIVE:
      case v1::IMAGE_STATE_DEPRECATED:
      case v1::IMAGE_STATE_WITHDRAWN:
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
    if (!record.ok()) return ToGrpc(Told(record.status(), caller));
    Fill(*record, response->mutable_image());
    return grpc::Status::OK;
  }

  // What counts for the record: in whose reach it is, and how much it opens.
  static std::string WordsOf(const ImageRecord& record) {
    static constexpr const char* kNames[] = {"active", "deprecated",
                                             "withdrawn"};
    return absl::StrCat(": ", kNames[static_cast<int>(record.state) - 2],
                        ", sha256 ", record.image.sha256, ", mounts ",
                        record.image.mounts.size());
  }

  // The database's own words are for the log.
  static absl::Status Told(const absl::Status& status, const Caller& caller) {
    switch (status.code()) {
      case absl::StatusCode::kInvalidArgument:
      case absl::StatusCode::kAlreadyExists:
      case absl::StatusCode::kNotFound:
      case absl::StatusCode::kFailedPrecondition:
      case absl::StatusCode::kResourceExhausted:
        return status;
      default:
        break;
    }
    LogError("image not changed",
             {{"request", caller.request_id}, {"error", status.ToString()}});
    return absl::UnavailableError(
        "the images cannot be changed now: try again");
  }

  const ImageServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewImageService(const ImageServiceParts& parts) {
  return std::make_unique<ImageService>(parts);
}

}  // namespace carme
