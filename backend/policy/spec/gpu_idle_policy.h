// What a template says about jobs that do not use their GPUs.
#ifndef CARME_BACKEND_POLICY_SPEC_GPU_IDLE_POLICY_H_
#define CARME_BACKEND_POLICY_SPEC_GPU_IDLE_POLICY_H_

#include "absl/time/time.h"
#include "carme/v1/gpu_idle.pb.h"

namespace carme::backend {

// gpu_idle.proto explains the fields.
struct GpuIdlePolicy {
  int threshold_percent = 0;
  absl::Duration warn_after{};
  absl::Duration act_after{};  // 0: never
  v1::GpuIdlePolicy::Action action = v1::GpuIdlePolicy::ACTION_UNSPECIFIED;
  friend bool operator==(const GpuIdlePolicy&, const GpuIdlePolicy&) = default;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_GPU_IDLE_POLICY_H_
