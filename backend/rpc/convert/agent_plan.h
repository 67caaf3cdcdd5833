// What the agent of a job is told when it registers: what to run, in which
// environment, and whom to trust. Who may ask is agent_service.h's business.
#ifndef CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_
#define CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/job_environment.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/rpc/server/server_identity.h"
#include "carme/v1/agent.pb.h"

namespace carme::backend {

struct AgentPlanParts {
  const JobsConfig* config;
  ImageCatalogue* images;
  std::function<std::shared_ptr<const ClientAuthorities>()> proxy_trust;
  std::string proxy_name;
  std::string ticket_public_key;
  std::function<absl::StatusOr<JobEnvironment>(const JobId&)> environment_of;
};

// All pointers outlive it. Safe from any thread, as its parts are.
class AgentPlan {
 public:
  explicit AgentPlan(AgentPlanParts parts) : parts_(std::move(parts)) {}

  // The apps of the job in its environment, or the making of an image.
  // FAILED_PRECONDITION: what was chosen may not be used any more, in words.
  absl::Status FillWork(const Job& job, v1::RegisterResponse* response) const;

  // What the job is called, and how its agent knows the proxy and its grants.
  void FillTrust(const Job& job, v1::RegisterResponse* response) const;

 private:
  absl::Status FillEnvironment(const Job& job, v1::EnvironmentPlan* plan) const;
  absl::Status FillFileTask(const ImageWork& work,
                            v1::ImageBuildPlan* plan) const;
  absl::Status FillBuild(const Job& job, v1::RegisterResponse* response) const;

  const AgentPlanParts parts_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_
