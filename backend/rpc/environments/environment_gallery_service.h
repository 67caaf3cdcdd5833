// The gallery of templates for environments, and images with further packages.
#ifndef CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_GALLERY_SERVICE_H_
#define CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_GALLERY_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/environments/environment_gallery.h"
#include "backend/images/image_catalogue.h"
#include "backend/jobs/jobs.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All must outlive the service.
struct EnvironmentGalleryServiceParts {
  EnvironmentGallery* gallery;
  ImageCatalogue* images;
  Jobs* jobs;  // runs the jobs that build images
  AuditLog* audit;
};
std::unique_ptr<grpc::Service> NewEnvironmentGalleryService(
    const EnvironmentGalleryServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ENVIRONMENTS_ENVIRONMENT_GALLERY_SERVICE_H_
