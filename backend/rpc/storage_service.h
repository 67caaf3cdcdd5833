// carme.v1.StorageService: how full the caller's storage is.
#ifndef CARME_BACKEND_RPC_STORAGE_SERVICE_H_
#define CARME_BACKEND_RPC_STORAGE_SERVICE_H_

#include <memory>

#include "backend/storage/storage_readings.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// `readings` outlives the service.
std::unique_ptr<grpc::Service> NewStorageService(StorageReadings* readings);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_STORAGE_SERVICE_H_
