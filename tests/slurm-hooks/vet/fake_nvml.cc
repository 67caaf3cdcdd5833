// FakeNvml: in the place of libnvidia-ml.so.1, two GPUs whose state
// CARME_FAKE_NVML describes: "hot", "lost", "ecc", "none", or healthy.
#include <cstdlib>
#include <cstring>

namespace {

bool Is(const char* state) {
  const char* const value = std::getenv("CARME_FAKE_NVML_STATE");
  return value != nullptr && std::strcmp(value, state) == 0;
}

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

constexpr int kNotSupported = 3;
constexpr int kLost = 15;

}  // namespace

extern "C" {
int nvmlInit_v2() { return 0; }
const char* nvmlErrorString(int) { return "GPU is lost"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = Is("none") ? 0 : 2;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<unsigned long>(index));
  return 0;
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
  *celsius = device != nullptr && Is("hot") ? 95 : 40;
  return device != nullptr && Is("lost") ? kLost : 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {1000, 900, 100};
  return 0;
}
int nvmlDeviceGetTotalEccErrors(void*, int, int, unsigned long long* errors) {
  *errors = 3;
  return Is("ecc") ? 0 : kNotSupported;
}
}
