// carme.v1.FactorService: the second factors of the caller's own account.
#ifndef CARME_BACKEND_RPC_FACTOR_SERVICE_H_
#define CARME_BACKEND_RPC_FACTOR_SERVICE_H_

#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/factor_policy.h"
#include "backend/identity/people.h"
#include "backend/identity/second_factor.h"
#include "backend/identity/session_offers.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
struct FactorServiceParts {
  FactorStore* factors;
  RecoveryCodes* codes;
  SecondFactor* second_factor;
  SessionOffers* offers;
  People* people;
  Directory* directory;  // asked for a person's groups, where [factors] has any
  const FactorsConfig* policy;
  AuditLog* audit;
  std::string issuer;  // in the QR code
};

std::unique_ptr<grpc::Service> NewFactorService(FactorServiceParts parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_FACTOR_SERVICE_H_
