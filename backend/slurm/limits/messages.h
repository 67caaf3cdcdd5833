// The messages about Slurm's own limits (common/message.h).
#ifndef CARME_BACKEND_SLURM_LIMITS_MESSAGES_H_
#define CARME_BACKEND_SLURM_LIMITS_MESSAGES_H_

#include "common/message.h"

namespace carme::slurm_limit_messages {

inline constexpr ErrorTemplate kQosMissing{absl::StatusCode::kNotFound,
                                           "SLURM_QOS_MISSING",
                                           "Slurm reports no QOS \"{name}\""};

inline constexpr ErrorTemplate kAssociationMissing{
    absl::StatusCode::kNotFound, "SLURM_ASSOCIATION_MISSING",
    "Slurm reports no association of the user with account \"{name}\""};

inline constexpr ErrorTemplate kAccountMissing{
    absl::StatusCode::kNotFound, "SLURM_ACCOUNT_MISSING",
    "Slurm reports no account \"{name}\""};

// Whose limit it is.
inline constexpr TextTemplate kSourceQos{"SLURM_LIMIT_SOURCE_QOS", "QOS {qos}"};

inline constexpr TextTemplate kSourceAccount{"SLURM_LIMIT_SOURCE_ACCOUNT",
                                             "account {account}"};

inline constexpr TextTemplate kSourceUser{"SLURM_LIMIT_SOURCE_USER",
                                          "{user} in account {account}"};

inline constexpr TextTemplate kSourceUserInPartition{
    "SLURM_LIMIT_SOURCE_USER_IN_PARTITION",
    "{user} in account {account}, partition {partition}"};

}  // namespace carme::slurm_limit_messages

#endif  // CARME_BACKEND_SLURM_LIMITS_MESSAGES_H_
