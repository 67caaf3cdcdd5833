// The names that administrators choose from in forms.
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_CHOICE_SERVICE_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_CHOICE_SERVICE_H_

#include <memory>

#include "backend/identity/directory_search.h"
#include "backend/images/image_catalogue.h"
#include "backend/projects/projects.h"
#include "backend/slurm/scheduler.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All must outlive the service.
struct ChoiceServiceParts {
  Scheduler* scheduler;
  DirectorySearch* directory;
  Projects* projects;
  ImageCatalogue* images;
};
std::unique_ptr<grpc::Service> NewChoiceService(
    const ChoiceServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_CHOICE_SERVICE_H_
