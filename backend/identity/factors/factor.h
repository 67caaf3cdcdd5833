// An enrolled second factor of an account.
#ifndef CARME_BACKEND_IDENTITY_FACTORS_FACTOR_H_
#define CARME_BACKEND_IDENTITY_FACTORS_FACTOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "carme/v1/auth.pb.h"

namespace carme::backend {

// As stored in tables and configuration: "totp", "passkey".
constexpr std::string_view FactorName(v1::Factor kind) {
  return kind == v1::FACTOR_TOTP ? "totp" : "passkey";
}

struct EnrolledFactor {
  std::string id = {};  // public
  v1::Factor kind = v1::FACTOR_TOTP;
  std::string name = {};
  absl::Time created_at;
  std::optional<absl::Time> used_at = {};  // nullopt: not since enrollment
};

// The result of an enrollment.
struct Enrollment {
  EnrolledFactor factor;
  // With the first factor of the account: ten codes, shown only once.
  std::vector<std::string> recovery_codes = {};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_FACTORS_FACTOR_H_
