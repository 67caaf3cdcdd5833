#include "backend/environments/environment_name.h"

#include "absl/strings/str_cat.h"
#include "common/edf/limits.h"
#include "common/edf/paths.h"
#include "common/edf/problem.h"
#include "common/name_rules.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr std::string_view kTomlSuffix = ".toml";

}  // namespace

bool IsEnvironmentName(std::string_view name) {
  return kEnvironmentNameRule.Allows(name) && !name.ends_with(kTomlSuffix);
}

absl::Status CheckEnvironmentName(const std::string& name) {
  if (IsEnvironmentName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "name is ", Quoted(name), ": expected 1 to ",
      kEnvironmentNameRule.max_bytes,
      " letters, digits, \".\", \"_\" and \"-\", a letter or digit first, "
      "without \".toml\""));
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
  return absl::InvalidArgumentError(absl::StrCat(
      "environment file ", Quoted(path),
      ": expected a path that begins with \"/\" or \"~/\", ends with "
      "\".toml\" and has no \"..\""));
}

}  // namespace carme::backend
