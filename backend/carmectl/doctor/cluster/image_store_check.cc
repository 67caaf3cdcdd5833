// The images of backend.toml and the directory of shared images.
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/file_rules.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kStoreMissing{
    "image-store-missing", Severity::kWarning,
    "Shared images are copied there; every node needs it at this path."};
constexpr FindingKind kStoreOwner{
    "image-store-owner", Severity::kError,
    "Only the account of shared images may write there; users' jobs start its "
    "files."};
constexpr FindingKind kImageMissing{
    "image-missing", Severity::kWarning,
    "Jobs in the image fail on hosts without the file."};
constexpr FindingKind kImageWritable{
    "image-writable", Severity::kError,
    "A user who can change the image runs code in the jobs of others."};

class ImageStoreCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"image-store",
            "images exist and only their owner can change them",
            {HostRole::kBackend},
            {kStoreMissing, kStoreOwner, kImageMissing, kImageWritable}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (!host.backend()) return findings;
    for (const std::string& image : host.backend()->images) {
      if (!image.empty()) CheckImage(image, &findings);
    }
    const std::string& directory = host.backend()->shared_images;
    if (!directory.empty()) {
      CheckStore(host, directory, &findings);
    }
    return findings;
  }

 private:
  static void CheckImage(const std::string& path,
                         std::vector<Finding>* findings) {
    const auto file = StatFile(path);
    if (!file) {
      findings->push_back(
          {kImageMissing,
           FormatMessage(cluster_check_messages::kImageMissing,
                         {{"path", path}}),
           FormatMessage(cluster_check_messages::kImageMissingRemedy)});
    } else if ((file->st_mode & 0022) != 0) {
      findings->push_back(
          {kImageWritable,
           FormatMessage(
               cluster_check_messages::kImageWritable,
               {{"path", path},
                {"mode", absl::StrFormat("%03o", file->st_mode & 0777)}}),
           FormatMessage(cluster_check_messages::kImageWritableRemedy,
                         {{"path", path}})});
    }
  }

  static void CheckStore(const Host& host, const std::string& directory,
                         std::vector<Finding>* findings) {
    const std::string account = host.backend()->shared_images_account;
    const std::string create = absl::StrFormat(
        "install -d -m 711 -o %s %s %s/store && install -d -m 1733 -o %s "
        "%s/incoming",
        account, directory, directory, account, directory);
    const auto entry =
        host.tools().Run({.arguments = {"getent", "passwd", account}});
    uint32_t uid = 0;
    const std::vector<std::string> fields =
        entry.ok() && entry->ok()
            ? absl::StrSplit(FirstLine(entry->output), ':')
            : std::vector<std::string>();
    if (fields.size() < 3 || !absl::SimpleAtoi(fields[2], &uid)) {
      findings->push_back(
          {kStoreOwner,
           FormatMessage(cluster_check_messages::kStoreAccountMissing,
                         {{"account", account}}),
           FormatMessage(cluster_check_messages::kStoreAccountMissingRemedy)});
      return;
    }
    struct Part {
      std::string path;
      mode_t mode;
    };
    for (const Part& part : {Part{directory + "/store", 0711},
                             Part{directory + "/incoming", 01733}}) {
      const auto info = StatFile(part.path);
      if (!info) {
        findings->push_back(
            {kStoreMissing,
             FormatMessage(cluster_check_messages::kImageMissing,
                           {{"path", part.path}}),
             create});
      } else if (info->st_uid != uid || (info->st_mode & 07777) != part.mode) {
        findings->push_back(
            {kStoreOwner,
             FormatMessage(
                 cluster_check_messages::kStoreOwner,
                 {{"path", part.path},
                  {"owner", info->st_uid},
                  {"mode", absl::StrFormat("%04o", info->st_mode & 07777)},
                  {"account", account},
                  {"expected_mode", absl::StrFormat("%04o", part.mode)}}),
             create});
      }
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeImageStoreCheck() {
  return std::make_unique<ImageStoreCheck>();
}

}  // namespace carme::carmectl
