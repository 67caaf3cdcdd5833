// The settings of environments' texts as forms.
#ifndef CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_FORM_SERVICE_H_
#define CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_FORM_SERVICE_H_

#include <memory>

#include "backend/environments/environments.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// `environments` must outlive the service.
std::unique_ptr<grpc::Service> NewEnvironmentFormService(
    Environments* environments);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_FORM_SERVICE_H_
