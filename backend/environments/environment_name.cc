#include "backend/environments/environment_name.h"

#include "backend/environments/messages.h"
#include "common/edf/limits.h"
#include "common/edf/paths.h"
#include "common/edf/problem.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr std::string_view kTomlSuffix = ".toml";

}  // namespace

bool IsEnvironmentName(std::string_view name) {
  return kEnvironmentNameRule.Allows(name) && !name.ends_with(kTomlSuffix);
}

absl::Status CheckEnvironmentName(const std::string& name) {
  if (IsEnvironmentName(name)) return absl::OkStatus();
  return MakeError(
      environment_messages::kInvalidName,
      {{"name", Quoted(name)}, {"max", kEnvironmentNameRule.max_bytes}});
}

bool IsEnvironmentPath(std::string_view environment) {
  return environment.starts_with("/") || environment.starts_with("~");
}

absl::Status CheckEnvironmentPath(const std::string& path) {
  const bool rooted = path.starts_with("/") || path.starts_with("~/");
  if (rooted && path.ends_with(kTomlSuffix) && !HasParent(path) &&
      path.size() <= kMaxEdfPathBytes && PrintableLength(path)) {
    return absl::OkStatus();
  }
  return MakeError(environment_messages::kInvalidPath,
                   {{"path", Quoted(path)}});
}

}  // namespace carme::backend
