// The site's rules for second factors: [factors] in backend.toml.
#ifndef CARME_BACKEND_IDENTITY_FACTOR_POLICY_H_
#define CARME_BACKEND_IDENTITY_FACTOR_POLICY_H_

#include <map>
#include <string>
#include <vector>

#include "backend/identity/factor.h"
#include "common/config.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct FactorsConfig {
  // What may be enrolled; at least one kind.
  std::vector<FactorKind> allowed = {FactorKind::kTotp, FactorKind::kPasskey};
  // Of that, what members of a group of the directory may enrol.
  std::map<std::string, std::vector<FactorKind>> groups = {};
};

// Reads [factors]; what is wrong with it is reported by Finish().
void ReadFactorsConfig(ConfigTable root, FactorsConfig* config);

// What such a person may enrol: what the site and every group of theirs that
// has a rule allow. Nothing, where two groups contradict each other.
std::vector<FactorKind> AllowedFactors(const FactorsConfig& config,
                                       const std::vector<std::string>& groups);
bool Allows(const std::vector<FactorKind>& allowed, FactorKind kind);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTOR_POLICY_H_
