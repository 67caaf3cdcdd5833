// Errors of `carmectl doctor`'s options.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::doctor_messages {

inline constexpr ErrorTemplate kUnknownCheck{
    absl::StatusCode::kInvalidArgument, "DOCTOR_UNKNOWN_CHECK",
    "\"{name}\" is not a check: see --list"};

inline constexpr ErrorTemplate kNoConfiguration{
    absl::StatusCode::kNotFound, "DOCTOR_NO_CONFIGURATION",
    "\"{directory}\" has no configuration file of Carme's programs: copy the "
    "files of this host from deploy/config, or name their directory with "
    "--config-dir"};

}  // namespace carme::carmectl::doctor_messages

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_MESSAGES_H_
