// Fills the response to an agent's registration: what to run, in which
// environment, and which certificates to trust. agent_service.cc checks the
// agent first.
#ifndef CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_
#define CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/environments/rendered_environment.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/rpc/server/server_identity.h"
#include "carme/v1/agent.pb.h"

namespace carme::backend {

struct AgentPlanParts {
  const JobsConfig* config;
  ImageCatalogue* images;
  Jobs* jobs;
  const ClientAuthoritySource* authorities;
  std::string proxy_name;
  std::string ticket_public_key;
};

// Thread-safe. All pointers must outlive the object.
class AgentPlan {
 public:
  explicit AgentPlan(AgentPlanParts parts) : parts_(std::move(parts)) {}

  // Fills in the job's apps and environment, or the image to build.
  // FAILED_PRECONDITION: the image or environment may not be used any more.
  absl::Status FillWork(const Job& job, v1::RegisterResponse* response) const;

  // Fills in the job's name, and what the agent verifies the proxy and its
  // grants with.
  void FillTrust(const Job& job, v1::RegisterResponse* response) const;

 private:
  absl::Status FillEnvironment(const Job& job, v1::EnvironmentPlan* plan) const;
  absl::Status FillFileTask(const ImageWork& work,
                            v1::ImageBuildPlan* plan) const;
  absl::Status FillRecipe(const Job& job, const v1::ImageRecipe& recipe,
                          v1::ImageRecipePlan* plan) const;
  absl::Status FillBuild(const Job& job, v1::RegisterResponse* response) const;

  const AgentPlanParts parts_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_AGENT_PLAN_H_
