// carme.v1.PresetService: what people want to start again.
#ifndef CARME_BACKEND_RPC_PRESET_SERVICE_H_
#define CARME_BACKEND_RPC_PRESET_SERVICE_H_

#include <memory>

#include "backend/jobs/presets.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// The presets outlive the service.
std::unique_ptr<grpc::Service> NewPresetService(Presets* presets);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_PRESET_SERVICE_H_
