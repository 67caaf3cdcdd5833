#include "backend/carmectl/doctor/checks/active_host.h"

#include "absl/time/clock.h"
#include "backend/carmectl/doctor/host/file_rules.h"
#include "backend/standby/lease_record.h"
#include "backend/standby/standby_config.h"

namespace carme::carmectl {

std::optional<std::string> OtherActiveHost(const Host& host) {
  const BackendSettings& settings = *host.backend();
  const auto lease = backend::ReadLease(settings.state_directory);
  const auto own = backend::IdentityOfThisProcess();
  const auto file = StatFile(settings.state_directory + "/backend.lease");
  if (!lease.ok() || !lease->has_value() || !own.ok() || !file) {
    return std::nullopt;
  }
  const backend::ProcessIdentity& holder = (*lease)->holder;
  const bool is_own =
      holder.host == own->host && holder.machine_id == own->machine_id;
  const absl::Duration age =
      absl::Now() - absl::TimeFromTimespec(file->st_mtim);
  const absl::Duration max_age = backend::TakeoverDelay(
      {.enabled = true, .lease = absl::Seconds(settings.lease_s)});
  if (is_own || (*lease)->released || absl::AbsDuration(age) > max_age) {
    return std::nullopt;
  }
  return holder.host;
}

}  // namespace carme::carmectl
