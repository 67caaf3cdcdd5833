// Where the limit of a violation comes from, for display.
#ifndef CARME_BACKEND_POLICY_SPEC_LIMIT_SOURCE_H_
#define CARME_BACKEND_POLICY_SPEC_LIMIT_SOURCE_H_

#include <string_view>

#include "backend/identity/role.h"
#include "common/display_text.h"

namespace carme::backend {

// The same for every job.
inline constexpr char kCarmeLimitSource[] = "carme";
DisplayText ConfigurationLimitSource();
// Slurm.
DisplayText ClusterLimitSource();
// The rules of all projects, and of all templates.
DisplayText AnyProjectLimitSource();
DisplayText AnyTemplateLimitSource();

DisplayText RoleLimitSource(Role role);  // as LimitsSource
DisplayText TemplateLimitSource(std::string_view name);
DisplayText PartitionLimitSource(std::string_view name);
DisplayText ReservationLimitSource(std::string_view name);
DisplayText ImageLimitSource(std::string_view id);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_LIMIT_SOURCE_H_
