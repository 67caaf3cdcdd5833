#include "backend/identity/factors/factor_policy.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

std::optional<v1::Factor> KindNamed(const std::string& name) {
  for (const v1::Factor kind : {v1::FACTOR_TOTP, v1::FACTOR_PASSKEY}) {
    if (name == FactorName(kind)) return kind;
  }
  return std::nullopt;
}

void ReadKinds(ConfigTable table, const std::string& key,
               std::vector<v1::Factor>* kinds) {
  if (!table.Has(key)) return;
  std::vector<std::string> names;
  table.Read(key, &names, Required());
  kinds->clear();
  for (const std::string& name : names) {
    const std::optional<v1::Factor> kind = KindNamed(name);
    if (kind) {
      kinds->push_back(*kind);
    } else {
      table.Refuse(key, absl::StrCat("\"", name,
                                     "\": expected \"totp\" or \"passkey\""));
    }
  }
}

}  // namespace

void ReadFactorsConfig(ConfigTable root, FactorsConfig* config) {
  ConfigTable table = root.Table("factors");
  ReadKinds(table, "allowed", &config->allowed);
  ConfigTable groups = table.Table("groups");
  for (const std::string& group : groups.Keys()) {
    ReadKinds(groups, group, &config->groups[group]);
  }
}

bool Allows(const std::vector<v1::Factor>& allowed, v1::Factor kind) {
  return std::find(allowed.begin(), allowed.end(), kind) != allowed.end();
}

std::vector<v1::Factor> AllowedFactors(const FactorsConfig& config,
                                       const std::vector<std::string>& groups) {
  std::vector<v1::Factor> allowed = config.allowed;
  for (const std::string& group : groups) {
    const auto rule = config.groups.find(group);
    if (rule == config.groups.end()) continue;
    std::erase_if(allowed,
                  [&](v1::Factor kind) { return !Allows(rule->second, kind); });
  }
  return allowed;
}

}  // namespace carme::backend
