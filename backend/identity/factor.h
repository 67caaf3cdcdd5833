// A second factor that an account has enrolled.
#ifndef CARME_BACKEND_IDENTITY_FACTOR_H_
#define CARME_BACKEND_IDENTITY_FACTOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace carme::backend {

enum class FactorKind { kTotp, kPasskey };

// As it stands in the tables and in the configuration: "totp", "passkey".
constexpr std::string_view FactorName(FactorKind kind) {
  return kind == FactorKind::kTotp ? "totp" : "passkey";
}

struct EnrolledFactor {
  std::string id = {};  // public
  FactorKind kind = FactorKind::kTotp;
  std::string name = {};
  absl::Time created_at;
  std::optional<absl::Time> used_at = {};  // nothing: never since its enrolment
};

// What an enrolment made.
struct Enrolment {
  EnrolledFactor factor;
  // With the account's first factor: ten codes, readable this once.
  std::vector<std::string> recovery_codes = {};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTOR_H_
