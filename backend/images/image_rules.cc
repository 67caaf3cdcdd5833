#include "backend/images/image_rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/policy/cluster/driver_match.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/reserved_variables.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kLongestId = 127;
constexpr size_t kLongestDescription = 200;
constexpr size_t kLongestPath = 1024;
constexpr size_t kMaxMounts = 32;
constexpr size_t kMaxVariables = 64;
constexpr size_t kLongestVariable = 64;
constexpr size_t kLongestValue = 4096;

constexpr CharacterSet kImageIdCharacters = kAlphanumeric | "._-+";

bool IsVariable(std::string_view name) {
  return name.size() <= kLongestVariable && kVariableNameRule.Allows(name);
}

absl::Status CheckDescription(const std::string& text) {
  const std::optional<size_t> length = PrintableLength(text);
  if (length && *length <= kLongestDescription) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("description: expected at most ", kLongestDescription,
                   " printable characters"));
}

absl::Status CheckApps(const Image& image, const std::vector<App>& apps) {
  std::vector<std::string> offered;
  for (const App& app : apps) offered.push_back(app.id);
  for (const std::string& id : image.apps) {
    if (std::find(offered.begin(), offered.end(), id) != offered.end()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "app \"", PlainText(id, 32),
        "\" is not offered: expected one of: ", absl::StrJoin(offered, ", ")));
  }
  return absl::OkStatus();
}

absl::Status CheckMounts(const Image& image) {
  if (image.mounts.size() > kMaxMounts) {
    return absl::InvalidArgumentError(
        absl::StrCat("image has ", image.mounts.size(),
                     " mounts: expected at most ", kMaxMounts));
  }
  for (const ImageMount& mount : image.mounts) {
    if (IsImageFolder(mount.source) && IsImageFolder(mount.target)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("mount \"", PlainText(mount.source, 80), "\" at \"",
                     PlainText(mount.target, 80),
                     "\": expected absolute paths without \":\" and \",\""));
  }
  return absl::OkStatus();
}

absl::Status CheckVariables(const Image& image) {
  if (image.environment.size() > kMaxVariables) {
    return absl::InvalidArgumentError(
        absl::StrCat("image has ", image.environment.size(),
                     " variables: expected at most ", kMaxVariables));
  }
  for (const auto& [name, value] : image.environment) {
    if (IsReservedVariable(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable \"", PlainText(name, 64),
                       "\" is Slurm's or Carme's: expected a name that does "
                       "not begin with SLURM_, SLURMD_ or CARME_"));
    }
    if (IsVariable(name) && value.size() <= kLongestValue &&
        PrintableLength(value)) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "variable \"", PlainText(name, 64),
        "\": expected a name of letters, digits and \"_\", and a value of at "
        "most ",
        kLongestValue, " printable characters"));
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const char* field, const std::string& version) {
  if (version.empty() || IsVersion(version)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is \"", PlainText(version, 32),
                   "\": expected numbers with dots between"));
}

}  // namespace

bool IsImageId(std::string_view id) {
  const size_t colon = id.find(':');
  if (colon == std::string_view::npos || id.size() > kLongestId) return false;
  const std::string_view name = id.substr(0, colon);
  const std::string_view version = id.substr(colon + 1);
  return !name.empty() && !version.empty() &&
         kImageIdCharacters.ContainsAll(name) &&
         kImageIdCharacters.ContainsAll(version);
}

bool IsImageFolder(std::string_view path) {
  return !path.empty() && path[0] == '/' && path.size() <= kLongestPath &&
         path.find_first_of(":,\"\n") == std::string_view::npos &&
         PrintableLength(std::string(path)).has_value();
}

bool IsImageSource(std::string_view path) {
  return IsImageFolder(path.starts_with("~/") ? path.substr(1) : path);
}

absl::Status CheckImageSettings(const Image& image,
                                const std::vector<App>& apps) {
  RETURN_IF_ERROR(CheckDescription(image.description));
  RETURN_IF_ERROR(CheckApps(image, apps));
  RETURN_IF_ERROR(CheckMounts(image));
  RETURN_IF_ERROR(CheckVariables(image));
  RETURN_IF_ERROR(CheckVersion("driver", image.driver));
  return CheckVersion("cuda", image.cuda);
}

}  // namespace carme::backend
