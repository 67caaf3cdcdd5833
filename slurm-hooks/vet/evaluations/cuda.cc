// Computes y = a x + y on each GPU and compares the result.
#include <cmath>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/evaluations/cuda_driver.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kBlocks = 32768;
constexpr float kFactor = 2.5F;
constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

constexpr char kSaxpyPtx[] = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry saxpy(.param .f32 factor, .param .u64 from, .param .u64 to,
                      .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.f32 %f1, [factor];
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
)";

struct Vectors {
  std::vector<float> x;
  std::vector<float> y;
};

Vectors MakeVectors() {
  const size_t count = size_t{kThreads} * kBlocks;
  Vectors vectors{std::vector<float>(count), std::vector<float>(count)};
  for (size_t i = 0; i < count; ++i) {
    vectors.x[i] = static_cast<float>(i % 1021);
    vectors.y[i] = static_cast<float>(i % 509);
  }
  return vectors;
}

bool Compare(int gpu, const Vectors& in, const std::vector<float>& result,
             Outcome* outcome) {
  for (size_t i = 0; i < result.size(); ++i) {
    const float expected = std::fma(kFactor, in.x[i], in.y[i]);
    // false for a NaN
    if (std::abs(result[i] - expected) <= 1e-5F * std::abs(expected)) continue;
    *outcome = Outcome::Failed(FormatMessage(evaluation_messages::kSaxpyDiffers,
                                             {{"gpu", gpu},
                                              {"index", i},
                                              {"found", result[i]},
                                              {"expected", expected}}));
    return false;
  }
  return true;
}

bool RunOn(const CudaDriver& cuda, int gpu, const Vectors& in,
           Outcome* outcome) {
  CudaDevice device = 0;
  CudaHandle context = nullptr;
  CudaHandle module = nullptr;
  CudaHandle function = nullptr;
  CudaMemory x = 0;
  CudaMemory y = 0;
  unsigned count = static_cast<unsigned>(in.x.size());
  const size_t bytes = in.x.size() * sizeof(float);
  float factor = kFactor;
  void* arguments[] = {&factor, &x, &y, &count};
  std::vector<float> result(in.y.size());
  const auto ok = [&](int code, const char* call) {
    return cuda.Ok(code, call, outcome);
  };
  return ok(cuda.device(&device, gpu), "cuDeviceGet") &&
         ok(cuda.retain_context(&context, device),
            "cuDevicePrimaryCtxRetain") &&
         ok(cuda.set_context(context), "cuCtxSetCurrent") &&
         ok(cuda.load_module(&module, kSaxpyPtx), "cuModuleLoadData") &&
         ok(cuda.function(&function, module, "saxpy"), "cuModuleGetFunction") &&
         ok(cuda.allocate(&x, bytes), "cuMemAlloc") &&
         ok(cuda.allocate(&y, bytes), "cuMemAlloc") &&
         ok(cuda.to_device(x, in.x.data(), bytes), "cuMemcpyHtoD") &&
         ok(cuda.to_device(y, in.y.data(), bytes), "cuMemcpyHtoD") &&
         ok(cuda.launch(function, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr,
                        arguments, nullptr),
            "cuLaunchKernel") &&
         ok(cuda.synchronize(), "cuCtxSynchronize") &&
         ok(cuda.to_host(result.data(), y, bytes), "cuMemcpyDtoH") &&
         ok(cuda.free(x), "cuMemFree") && ok(cuda.free(y), "cuMemFree") &&
         Compare(gpu, in, result, outcome);
}

}  // namespace

bool CudaDriver::Open(const Evaluation& evaluation, int* gpus,
                      Outcome* outcome) {
  const bool is_required = evaluation.parameters.Bool("required", false);
  const auto none = [&](const std::string& reason) {
    *outcome = is_required ? Outcome::Failed(reason) : Outcome::Skipped(reason);
    return false;
  };
  const std::string problem(library.status().message());
  if (!library.is_loaded()) return none(problem);
  if (!library.status().ok()) {
    *outcome = Outcome::Error(problem);
    return false;
  }
  const int result = init(0);
  if (result == kNoDevice) {
    return none(FormatMessage(evaluation_messages::kNoGpu));
  }
  if (!Ok(result, "cuInit", outcome) ||
      !Ok(count(gpus), "cuDeviceGetCount", outcome)) {
    return false;
  }
  return *gpus > 0 || none(FormatMessage(evaluation_messages::kNoGpu));
}

bool CudaDriver::Ok(int result, const char* call, Outcome* outcome) const {
  if (result == 0) return true;
  const char* text = nullptr;
  error_string(result, &text);
  *outcome = Outcome::Failed(FormatMessage(
      evaluation_messages::kGpuCall,
      {{"call", call}, {"cause", text == nullptr ? "unknown error" : text}}));
  return false;
}

Outcome EvaluateGpuCompute(const Evaluation& evaluation) {
  CudaDriver cuda;
  Outcome outcome;
  int gpus = 0;
  if (!cuda.Open(evaluation, &gpus, &outcome)) return outcome;
  const Vectors vectors = MakeVectors();
  const absl::Time start = absl::Now();
  for (int gpu = 0; gpu < gpus; ++gpu) {
    if (!RunOn(cuda, gpu, vectors, &outcome)) return outcome;
  }
  outcome.metrics = {{"gpus", gpus},
                     {"elapsed_s", absl::ToDoubleSeconds(absl::Now() - start)}};
  return outcome;
}

}  // namespace carme::vet
