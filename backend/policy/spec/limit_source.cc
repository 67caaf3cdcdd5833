#include "backend/policy/spec/limit_source.h"

#include "backend/policy/spec/messages.h"
#include "common/message.h"

namespace carme::backend {

DisplayText ConfigurationLimitSource() {
  return MakeText(policy_spec_messages::kSourceConfiguration);
}

DisplayText ClusterLimitSource() {
  return MakeText(policy_spec_messages::kSourceCluster);
}

DisplayText AnyProjectLimitSource() {
  return MakeText(policy_spec_messages::kSourceAnyProject);
}

DisplayText AnyTemplateLimitSource() {
  return MakeText(policy_spec_messages::kSourceAnyTemplate);
}

DisplayText RoleLimitSource(Role role) {
  return MakeText(policy_spec_messages::kSourceRole,
                  {{"role", role == Role::kAdmin ? "admin" : "user"}});
}

DisplayText TemplateLimitSource(std::string_view name) {
  return MakeText(policy_spec_messages::kSourceTemplate, {{"template", name}});
}

DisplayText PartitionLimitSource(std::string_view name) {
  return MakeText(policy_spec_messages::kSourcePartition,
                  {{"partition", name}});
}

DisplayText ReservationLimitSource(std::string_view name) {
  return MakeText(policy_spec_messages::kSourceReservation,
                  {{"reservation", name}});
}

DisplayText ImageLimitSource(std::string_view id) {
  return MakeText(policy_spec_messages::kSourceImage, {{"image", id}});
}

}  // namespace carme::backend
