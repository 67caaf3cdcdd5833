#include "backend/images/image_rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/str_join.h"
#include "backend/images/messages.h"
#include "backend/policy/cluster/driver_match.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
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
  return MakeError(image_messages::kInvalidDescription,
                   {{"max", kLongestDescription}});
}

absl::Status CheckApps(const Image& image, const std::vector<App>& apps) {
  std::vector<std::string> offered;
  for (const App& app : apps) offered.push_back(app.id);
  for (const std::string& id : image.apps) {
    if (std::find(offered.begin(), offered.end(), id) != offered.end()) {
      continue;
    }
    return MakeError(
        image_messages::kUnknownApp,
        {{"app", PlainText(id, 32)}, {"apps", absl::StrJoin(offered, ", ")}});
  }
  return absl::OkStatus();
}

absl::Status CheckMounts(const Image& image) {
  if (image.mounts.size() > kMaxMounts) {
    return MakeError(image_messages::kTooManyMounts,
                     {{"mounts", image.mounts.size()}, {"max", kMaxMounts}});
  }
  for (const ImageMount& mount : image.mounts) {
    if (IsImageFolder(mount.source) && IsImageFolder(mount.target)) continue;
    return MakeError(image_messages::kInvalidMount,
                     {{"source", PlainText(mount.source, 80)},
                      {"target", PlainText(mount.target, 80)}});
  }
  return absl::OkStatus();
}

absl::Status CheckVariables(const Image& image) {
  if (image.environment.size() > kMaxVariables) {
    return MakeError(
        image_messages::kTooManyVariables,
        {{"variables", image.environment.size()}, {"max", kMaxVariables}});
  }
  for (const auto& [name, value] : image.environment) {
    if (IsReservedVariable(name)) {
      return MakeError(image_messages::kReservedVariable,
                       {{"variable", PlainText(name, 64)}});
    }
    if (IsVariable(name) && value.size() <= kLongestValue &&
        PrintableLength(value)) {
      continue;
    }
    return MakeError(
        image_messages::kInvalidVariable,
        {{"variable", PlainText(name, 64)}, {"max", kLongestValue}});
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const char* field, const std::string& version) {
  if (version.empty() || IsVersion(version)) return absl::OkStatus();
  return MakeError(image_messages::kInvalidVersion,
                   {{"field", field}, {"version", PlainText(version, 32)}});
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
