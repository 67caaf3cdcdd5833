/* A test double of libcuda.so.1, for tests only: the memory of its GPUs is that
 * of the process, and no kernel runs.
 *
 * FAKE_CUDA_GPUS   the number of GPUs (1); 0: CUDA_ERROR_NO_DEVICE
 * FAKE_CUDA_ERROR  the name of a call that fails with CUDA_ERROR_OUT_OF_MEMORY
 */
#include <stdlib.h>
#include <string.h>

enum { kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kInvalidDevice = 101 };
enum { kInvalidContext = 201, kNotSupported = 801, kMaxGpus = 8 };

typedef unsigned long long device_memory;

static int contexts[kMaxGpus];
static int *current;

static int gpus(void) {
  const char *text = getenv("FAKE_CUDA_GPUS");
  const int count = text ? atoi(text) : 1;
  return count > kMaxGpus ? kMaxGpus : count;
}

static int result_of(const char *call) {
  const char *failing = getenv("FAKE_CUDA_ERROR");
  return failing && strcmp(failing, call) == 0 ? kOutOfMemory : kSuccess;
}

int cuInit(unsigned flags) {
  (void)flags;
  return gpus() > 0 ? result_of("cuInit") : kNoDevice;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == kOutOfMemory ? "out of memory" : "error of the test double";
  return kSuccess;
}

int cuDeviceGetCount(int *count) {
  *count = gpus();
  return kSuccess;
}

int cuDeviceGet(int *device, int ordinal) {
  if (ordinal < 0 || ordinal >= gpus()) return kInvalidDevice;
  *device = ordinal;
  return result_of("cuDeviceGet");
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contexts[device];
  return result_of("cuDevicePrimaryCtxRetain");
}

int cuCtxSetCurrent(void *context) {
  current = context;
  return kSuccess;
}

int cuCtxSynchronize(void) { return current ? kSuccess : kInvalidContext; }

int cuMemAlloc_v2(device_memory *memory, size_t bytes) {
  if (!current) return kInvalidContext;
  if (result_of("cuMemAlloc") != kSuccess) return kOutOfMemory;
  void *allocated = calloc(1, bytes);
  *memory = (device_memory)allocated;
  return allocated ? kSuccess : kOutOfMemory;
}

int cuMemFree_v2(device_memory memory) {
  free((void *)memory);
  return kSuccess;
}

int cuMemcpyHtoD_v2(device_memory to, const void *from, size_t bytes) {
  memcpy((void *)to, from, bytes);
  return kSuccess;
}

int cuMemcpyDtoH_v2(void *to, device_memory from, size_t bytes) {
  memcpy(to, (const void *)from, bytes);
  return kSuccess;
}

int cuMemsetD32_v2(device_memory memory, unsigned value, size_t count) {
  for (size_t i = 0; i < count; ++i) ((unsigned *)memory)[i] = value;
  return kSuccess;
}

int cuStreamCreate(void **stream, unsigned flags) {
  (void)flags;
  *stream = current;
  return current ? kSuccess : kInvalidContext;
}

int cuModuleLoadData(void **module, const void *image) {
  (void)module, (void)image;
  return kNotSupported;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)function, (void)module, (void)name;
  return kNotSupported;
}

int cuLaunchKernel(void *function, unsigned a, unsigned b, unsigned c,
                   unsigned d, unsigned e, unsigned f, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  (void)function, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
  (void)shared, (void)stream, (void)arguments, (void)extra;
  return kNotSupported;
}
