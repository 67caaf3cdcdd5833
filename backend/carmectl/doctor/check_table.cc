#include "backend/carmectl/doctor/check_table.h"

namespace carme::carmectl {

// Each is defined in NAME_check.cc of checks/ or cluster/, without a header.
#define CARME_DOCTOR_CHECKS(EACH) \
  EACH(Configuration)             \
  EACH(Secrets)                   \
  EACH(Certificates)              \
  EACH(PublicCertificate)         \
  EACH(StateDirectory)            \
  EACH(Database)                  \
  EACH(Disk)                      \
  EACH(Clock)                     \
  EACH(Network)                   \
  EACH(Agents)                    \
  EACH(JobsDomain)                \
  EACH(Directory)                 \
  EACH(NameService)               \
  EACH(Munge)                     \
  EACH(Slurm)                     \
  EACH(SlurmHooks)                \
  EACH(SpankPlugin)               \
  EACH(Confinement)               \
  EACH(ConfinementJob)            \
  EACH(Images)                    \
  EACH(ImageStore)                \
  EACH(Descriptors)               \
  EACH(Processes)                 \
  EACH(Units)                     \
  EACH(Firewall)

#define CARME_DECLARE_CHECK(name) std::unique_ptr<Check> Make##name##Check();
CARME_DOCTOR_CHECKS(CARME_DECLARE_CHECK)

const std::vector<std::unique_ptr<Check>>& AllChecks() {
  static const auto* const all = [] {
    auto* checks = new std::vector<std::unique_ptr<Check>>;
#define CARME_ADD_CHECK(name) checks->push_back(Make##name##Check());
    CARME_DOCTOR_CHECKS(CARME_ADD_CHECK)
    return checks;
  }();
  return *all;
}

}  // namespace carme::carmectl
