#include "backend/rpc/convert/image_request.h"

#include <algorithm>

#include "backend/images/image_rules.h"
#include "backend/rpc/convert/messages.h"
#include "carme/v1/image.pb.h"
#include "common/crypto/file_digest.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxGroups = 64;
constexpr size_t kMaxGroupBytes = 128;
constexpr size_t kMaxProjects = 64;

bool Has(const std::vector<std::string>& some, const std::string& one) {
  return std::find(some.begin(), some.end(), one) != some.end();
}

}  // namespace

absl::Status CheckFile(const std::string& id, const std::string& path,
                       const std::string& sha256, int64_t size_bytes) {
  if (!IsImageId(id)) {
    return MakeError(rpc_convert_messages::kImageIdInvalid);
  }
  if (!IsImageFolder(path)) {
    return MakeError(rpc_convert_messages::kImagePathInvalid);
  }
  if (!sha256.empty() && !IsDigest(sha256)) {
    return MakeError(rpc_convert_messages::kImageDigestInvalid);
  }
  if (size_bytes < 0) {
    return MakeError(rpc_convert_messages::kImageSizeInvalid);
  }
  return absl::OkStatus();
}

absl::Status CheckFile(const v1::AddImageRequest& request) {
  return CheckFile(request.id(), request.path(), request.sha256(),
                   request.size_bytes());
}

absl::Status CheckImport(const v1::ImportImageRequest& request) {
  if (!IsImageId(request.name())) {
    return MakeError(rpc_convert_messages::kImageNameInvalid);
  }
  if (!IsImageSource(request.path())) {
    return MakeError(rpc_convert_messages::kImageSourcePathInvalid);
  }
  if (request.source() < v1::IMAGE_SOURCE_SIF ||
      request.source() > v1::IMAGE_SOURCE_DOCKER_ARCHIVE) {
    return MakeError(rpc_convert_messages::kImageSourceInvalid);
  }
  return absl::OkStatus();
}

absl::Status CheckAudience(const ImageRecord& record) {
  if (record.projects.size() > kMaxProjects) {
    return MakeError(
        rpc_convert_messages::kImageTooManyProjects,
        {{"found", record.projects.size()}, {"max", kMaxProjects}});
  }
  const std::vector<std::string>& groups = record.groups;
  const bool right =
      groups.size() <= kMaxGroups &&
      std::all_of(groups.begin(), groups.end(), [](const std::string& name) {
        const auto length = PrintableLength(name);
        return length && *length > 0 && *length <= kMaxGroupBytes;
      });
  if (right) return absl::OkStatus();
  return MakeError(rpc_convert_messages::kImageGroupsInvalid,
                   {{"max", kMaxGroups}, {"max_bytes", kMaxGroupBytes}});
}

absl::Status CheckProjects(const std::vector<std::string>& projects,
                           const std::vector<std::string>& before,
                           const ImageUser& user) {
  for (const std::string& project : projects) {
    if (Has(before, project)) continue;
    const bool known =
        std::any_of(user.memberships.begin(), user.memberships.end(),
                    [&](const ProjectMembership& membership) {
                      return membership.project == project;
                    });
    if (known) continue;
    return MakeError(rpc_convert_messages::kImageProjectUnknown,
                     {{"project", PlainText(project, 32)}});
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
