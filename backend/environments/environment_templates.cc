#include "backend/environments/environment_templates.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/images/image_rules.h"
#include "backend/policy/spec/app_icon.h"
#include "common/name_rules.h"
#include "common/packages/package_rules.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxTemplates = 64;
constexpr size_t kMaxNameLength = 60;
constexpr size_t kMaxDescriptionLength = 200;
constexpr size_t kMaxVariableLength = 4096;

bool IsText(const std::string& text, size_t max) {
  const std::optional<size_t> length = PrintableLength(text);
  return length && *length <= max;
}

// Refuses a text of more than `max` characters, or with others than printable
// ones.
void CheckPrintable(ConfigTable table, std::string_view key,
                    const std::string& text, size_t max) {
  if (IsText(text, max)) return;
  table.Refuse(key,
               absl::StrCat("expected at most ", max, " printable characters"));
}

template <typename Rule>
void ReadPackages(ConfigTable table, const char* key, Rule rule,
                  google::protobuf::RepeatedPtrField<std::string>* packages) {
  std::vector<std::string> found;
  table.Read(key, &found);
  for (const std::string& package : found) {
    if (rule(package)) continue;
    table.Refuse(key, absl::StrCat("\"", PlainText(package, 40),
                                   "\": expected a name, with versions for "
                                   "pip and conda"));
  }
  if (found.size() > kMaxPackages) {
    table.Refuse(key, absl::StrCat("expected at most ", kMaxPackages));
  }
  *packages = {found.begin(), found.end()};
}

void ReadTranslations(ConfigTable table, v1::EnvironmentTemplate* found) {
  constexpr NameRule kLanguageRule{
      .characters = kLowercase, .min_bytes = 2, .max_bytes = 3};
  for (const std::string& language : table.Keys()) {
    std::string text;
    table.Read(language, &text);
    if (!kLanguageRule.Allows(language)) {
      table.Refuse(language, "expected the code of a language, such as \"de\"");
    }
    CheckPrintable(table, language, text, kMaxDescriptionLength);
    (*found->mutable_translations())[language] = std::move(text);
  }
}

void ReadVariables(ConfigTable table, v1::EnvironmentTemplate* found) {
  for (const std::string& name : table.Keys()) {
    std::string value;
    table.Read(name, &value);
    if (!kVariableNameRule.Allows(name) || IsReservedVariable(name)) {
      table.Refuse(name,
                   "expected letters, digits and \"_\", and not SLURM_ or "
                   "CARME_");
    }
    CheckPrintable(table, name, value, kMaxVariableLength);
    (*found->mutable_variables())[name] = std::move(value);
  }
}

void ReadTemplate(ConfigTable table, std::set<std::string>* ids,
                  v1::EnvironmentTemplate* found) {
  table.Read("id", found->mutable_id(), Required());
  table.Read("name", found->mutable_name(), Required());
  table.Read("description", found->mutable_description());
  table.Read("image", found->mutable_image());
  found->set_icon(kDefaultAppIcon);
  table.Read("icon", found->mutable_icon());
  if (!IsAppIcon(found->icon())) table.Refuse("icon", ExpectedAppIcons());
  ReadPackages(table, "debian_packages", IsDebianPackage,
               found->mutable_debian_packages());
  ReadPackages(table, "pip_packages", IsPipPackage,
               found->mutable_pip_packages());
  ReadPackages(table, "conda_packages", IsCondaPackage,
               found->mutable_conda_packages());
  ReadTranslations(table.Table("translations"), found);
  ReadVariables(table.Table("variables"), found);
  if (!found->id().empty() && !kAppIdRule.Allows(found->id())) {
    table.Refuse("id",
                 "expected 1 to 31 of a-z, 0-9 and \"-\", a letter first");
  }
  if (!ids->insert(found->id()).second) {
    table.Refuse("id", "another template has the same id");
  }
  CheckPrintable(table, "name", found->name(), kMaxNameLength);
  CheckPrintable(table, "description", found->description(),
                 kMaxDescriptionLength);
  if (!found->image().empty() && !IsImageId(found->image())) {
    table.Refuse("image",
                 "expected name:version of letters, digits and \"._-+\"");
  }
}

}  // namespace

absl::StatusOr<std::vector<v1::EnvironmentTemplate>> LoadEnvironmentTemplates(
    const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  return ReadEnvironmentTemplates(std::move(file));
}

absl::StatusOr<std::vector<v1::EnvironmentTemplate>> ReadEnvironmentTemplates(
    ConfigFile file) {
  std::vector<v1::EnvironmentTemplate> templates;
  std::set<std::string> ids;
  ConfigTable root = file.root();
  for (ConfigTable& table : root.Tables("templates")) {
    if (templates.size() == kMaxTemplates) {
      root.Refuse("templates",
                  absl::StrCat("expected at most ", kMaxTemplates));
      break;
    }
    ReadTemplate(table, &ids, &templates.emplace_back());
  }
  RETURN_IF_ERROR(file.Finish());
  return templates;
}

}  // namespace carme::backend
