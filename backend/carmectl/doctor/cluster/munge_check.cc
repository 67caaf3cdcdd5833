// MUNGE on this host: Slurm and agents authenticate with it.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/cluster/messages.h"
#include "backend/carmectl/doctor/host/check.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kMungeUnavailable{
    "munge-unavailable", Severity::kError,
    "Without munged neither Slurm nor agents can authenticate."};
constexpr FindingKind kMungeDecodeFailed{
    "munge-decode-failed", Severity::kError,
    "A credential that this host refuses is refused by other hosts, too."};

class MungeCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"munge",
            "munged encodes and decodes a credential",
            {HostRole::kBackend, HostRole::kImpersonator, HostRole::kNode},
            {kMungeUnavailable, kMungeDecodeFailed}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const auto encoded = host.tools().Run({.arguments = {"munge", "-n"}});
    if (!encoded.ok() || !encoded->ok()) {
      return {{kMungeUnavailable,
               encoded.ok() ? FirstLine(encoded->error)
                            : std::string(encoded.status().message()),
               FormatMessage(cluster_check_messages::kMungeRemedy)}};
    }
    const auto decoded =
        host.tools().Run({.arguments = {"unmunge"}, .input = encoded->output});
    if (!decoded.ok() || !decoded->ok()) {
      return {{kMungeDecodeFailed,
               decoded.ok()
                   ? FirstLine(absl::StrCat(decoded->output, decoded->error))
                   : std::string(decoded.status().message()),
               FormatMessage(cluster_check_messages::kMungeKeyRemedy)}};
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Check> MakeMungeCheck() {
  return std::make_unique<MungeCheck>();
}

}  // namespace carme::carmectl
