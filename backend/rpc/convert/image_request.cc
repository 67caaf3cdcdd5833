#include "backend/rpc/convert/image_request.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/images/image_rules.h"
#include "carme/v1/image.pb.h"
#include "common/crypto/file_digest.h"
#include "common/printable.h"

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
    return absl::InvalidArgumentError(
        "id: expected name:version of letters, digits and \"._-+\"");
  }
  if (!IsImageFolder(path)) {
    return absl::InvalidArgumentError(
        "path: expected an absolute path without \":\" and \",\"");
  }
  if (!sha256.empty() && !IsDigest(sha256)) {
    return absl::InvalidArgumentError(
        "sha256: expected 64 hexadecimal digits in lower case, or an empty "
        "text");
  }
  if (size_bytes < 0) {
    return absl::InvalidArgumentError("sizeBytes: expected at least 0");
  }
  return absl::OkStatus();
}

absl::Status CheckFile(const v1::AddImageRequest& request) {
  return CheckFile(request.id(), request.path(), request.sha256(),
                   request.size_bytes());
}

absl::Status CheckImport(const v1::ImportImageRequest& request) {
  if (!IsImageId(request.name())) {
    return absl::InvalidArgumentError(
        "name: expected name:version of letters, digits and \"._-+\"");
  }
  if (!IsImageSource(request.path())) {
    return absl::InvalidArgumentError(
        "path: expected an absolute one or \"~/…\", without \":\" and "
        "\",\"");
  }
  if (request.source() < v1::IMAGE_SOURCE_SIF ||
      request.source() > v1::IMAGE_SOURCE_DOCKER_ARCHIVE) {
    return absl::InvalidArgumentError(
        "source: expected a SIF, an OCI archive, an OCI directory, a "
        "definition or a Docker archive");
  }
  return absl::OkStatus();
}

absl::Status CheckAudience(const ImageRecord& record) {
  if (record.projects.size() > kMaxProjects) {
    return absl::InvalidArgumentError(
        absl::StrCat("projects: found ", record.projects.size(),
                     ": expected at most ", kMaxProjects));
  }
  const std::vector<std::string>& groups = record.groups;
  const bool right =
      groups.size() <= kMaxGroups &&
      std::all_of(groups.begin(), groups.end(), [](const std::string& name) {
        const auto length = PrintableLength(name);
        return length && *length > 0 && *length <= kMaxGroupBytes;
      });
  if (right) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("groups: expected at most ", kMaxGroups, " names of 1 to ",
                   kMaxGroupBytes, " printable characters"));
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
    return absl::InvalidArgumentError(
        absl::StrCat("projects: no project has the id \"",
                     PlainText(project, 32), "\": expected ids of projects"));
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
