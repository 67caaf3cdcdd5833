// The site's rules for second factors: [factors] of backend.toml.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_FACTOR_POLICY_H_
#define CARME_BACKEND_IDENTITY_FACTORS_FACTOR_POLICY_H_

#include <map>
#include <string>
#include <vector>

#include "backend/identity/factors/factor.h"
#include "common/config/config.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct FactorsConfig {
  // Kinds that may be enrolled; at least one.
  std::vector<v1::Factor> allowed = {v1::FACTOR_TOTP, v1::FACTOR_PASSKEY};
  // The subset that members of a directory group may enroll.
  std::map<std::string, std::vector<v1::Factor>> groups = {};
};

// Reads [factors]; Finish() reports invalid values.
void ReadFactorsConfig(ConfigTable root, FactorsConfig* config);

// The kinds that a user in these groups may enroll: those that the site and
// every group with a rule allow. Empty if the rules of two groups have nothing
// in common.
std::vector<v1::Factor> AllowedFactors(const FactorsConfig& config,
                                       const std::vector<std::string>& groups);
bool Allows(const std::vector<v1::Factor>& allowed, v1::Factor kind);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_FACTOR_POLICY_H_
