#include "frontend/clusters/cluster_response.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <vector>

#include "carme/v1/jobs.pb.h"
#include "common/protobuf/message_error.h"
#include "frontend/clusters/messages.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

void SetCluster(const std::string& name, google::protobuf::Message* response) {
  if (auto* job = dynamic_cast<v1::Job*>(response)) job->set_cluster(name);
  const google::protobuf::Reflection& reflection = *response->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> present;
  reflection.ListFields(*response, &present);
  for (const google::protobuf::FieldDescriptor* field : present) {
    if (field->cpp_type() !=
        google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    }
    if (!field->is_repeated()) {
      SetCluster(name, reflection.MutableMessage(response, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(*response, field); ++i) {
      SetCluster(name, reflection.MutableRepeatedMessage(response, field, i));
    }
  }
}

absl::Status CheckFurther(const PortalCluster& cluster, bool starts_session,
                          const google::protobuf::Message& response) {
  if (starts_session) {
    return MakeError(clusters_messages::kSessionRefused,
                     {{"cluster", cluster.name}});
  }
  const auto* opened = dynamic_cast<const v1::OpenAppResponse*>(&response);
  if (opened == nullptr || IsInDomain(opened->url(), cluster.jobs_domain)) {
    return absl::OkStatus();
  }
  return MakeError(
      clusters_messages::kAddressRefused,
      {{"cluster", cluster.name}, {"domain", cluster.jobs_domain}});
}

}  // namespace carme::frontend
