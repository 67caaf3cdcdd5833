// carme.v1.AgentService: lets the agents of running jobs in, by their MUNGE
// credential and by what Slurm says, and nobody else.
#ifndef CARME_BACKEND_RPC_AGENT_SERVICE_H_
#define CARME_BACKEND_RPC_AGENT_SERVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/environments/job_environment.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/agent_admission.h"
#include "backend/jobs/credential_decoder.h"
#include "backend/jobs/job_ca.h"
#include "backend/jobs/jobs_config.h"
#include "backend/rpc/server_identity.h"
#include "backend/rpc/stream_pump.h"
#include "common/clock.h"

namespace grpc {
class Service;
}

namespace carme::backend {

struct AgentServiceParts {
  CredentialDecoder* decoder;
  AgentAdmission* admission;
  const JobCa* job_ca;
  const JobsConfig* config;
  ImageCatalogue* images;
  AuditLog* audit;
  const Clock* clock;
  // For the agents' streams alone.
  StreamPump* pump;
  // What an agent verifies the proxy and its grants by. The first may change
  // while jobs run; another pointer when it does.
  std::function<std::shared_ptr<const ClientAuthorities>()> proxy_trust;
  std::string proxy_name;
  std::string ticket_public_key;
  // What a job that was submitted in an environment gets; NOT_FOUND.
  std::function<absl::StatusOr<JobEnvironment>(const JobId&)> environment_of =
      {};
  // Whether a job may begin; asked when its agent registers the first time.
  std::function<absl::Status(const Job&)> may_begin = {};
  // What an agent saw: for how long its job has not been used. May block.
  std::function<void(const Job&, absl::Duration unused)> take_use = {};
  // Until when a job with this end could be made to run at the most.
  std::function<absl::Time(const Job&, absl::Time end)> latest_end = {};
  // The proxies that agents connect to, as TlsConfig has them; empty: they
  // listen.
  std::vector<std::string> dial = {};
};

// All pointers outlive the service.
std::unique_ptr<grpc::Service> NewAgentService(const AgentServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_AGENT_SERVICE_H_
