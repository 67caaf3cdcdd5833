// carme.v1.ImageService: the images that jobs may run in, and who changes them.
#ifndef CARME_BACKEND_RPC_IMAGE_SERVICE_H_
#define CARME_BACKEND_RPC_IMAGE_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/jobs_config.h"

namespace grpc {
class Service;
}

namespace carme::backend {

struct ImageServiceParts {
  ImageCatalogue* images;
  Jobs* jobs;  // that make images
  ImageCatalogue::WhoIs who_is;
  const JobsConfig* config;
  AuditLog* audit;
};

// All pointers outlive the service.
std::unique_ptr<grpc::Service> NewImageService(const ImageServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_IMAGE_SERVICE_H_
