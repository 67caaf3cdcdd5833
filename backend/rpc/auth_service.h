// carme.v1.AuthService: the log-in over gRPC. It adds to LogIn what the network
// needs: equal times, a bound on how many log in at once, and the log.
#ifndef CARME_BACKEND_RPC_AUTH_SERVICE_H_
#define CARME_BACKEND_RPC_AUTH_SERVICE_H_

#include <memory>

#include "backend/identity/identity_config.h"
#include "backend/identity/log_in.h"

namespace grpc {
class Service;
}

namespace carme {

// All three outlive the service.
std::unique_ptr<grpc::Service> NewAuthService(LogIn* log_in, Sessions* sessions,
                                              const SessionsConfig* config);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_AUTH_SERVICE_H_
