/* A test double of libnvidia-ml.so.1, for tests only. Its driver version begins
 * with "test double", so that every report that names the driver shows it.
 *
 * FAKE_NVML_SERIES names a file as in fake_series.h, read by nvmlInit. The
 * names are those of the functions below, and:
 *   devices   (GPU is ignored) the number of devices
 *   gpm.ID    a metric of GPM
 *   process   the id of a process on the GPU, at any time
 *   xid       an event with that number, once
 *   error     the result of each call for the device: 15 is lost
 *   slow_ms   each call for the device takes so long
 * A value that the file does not name is NOT_SUPPORTED. */
#include "tests/slurm-hooks/gpu/fake_series.h"

enum { kSuccess = 0, kInvalid = 2, kNotSupported = 3, kTimeout = 10 };
enum { kMaxDevices = 16 };

static int device_count = 1;

struct device {
  int index;
};
static struct device devices[kMaxDevices];

int nvmlInit_v2(void) {
  load_rows("FAKE_NVML_SERIES");
  device_count = (int)first_value("devices", 1);
  if (device_count > kMaxDevices) device_count = kMaxDevices;
  for (int i = 0; i < device_count; ++i) devices[i].index = i;
  return kSuccess;
}

int nvmlShutdown(void) { return kSuccess; }

const char *nvmlErrorString(int result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kNotSupported:
      return "Not Supported";
    case 15:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

/* What each call for a device does first. */
static int enter(const struct device *d) {
  const struct row *slow, *error;
  if (!d) return kInvalid;
  slow = find(d->index, "slow_ms");
  if (slow) sleep_ms((long)slow->value);
  error = find(d->index, "error");
  return error ? (int)error->value : kSuccess;
}

static int get(const struct device *d, const char *name, double *value) {
  const int result = enter(d);
  const struct row *r;
  if (result != kSuccess) return result;
  r = find(d->index, name);
  if (!r) return kNotSupported;
  *value = r->value;
  return kSuccess;
}

static int get_unsigned(const struct device *d, const char *name,
                        unsigned *out) {
  double value;
  const int result = get(d, name, &value);
  if (result == kSuccess) *out = (unsigned)value;
  return result;
}

static int get_long(const struct device *d, const char *name,
                    unsigned long long *out) {
  double value;
  const int result = get(d, name, &value);
  if (result == kSuccess) *out = (unsigned long long)value;
  return result;
}

int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  snprintf(text, size, "test double 1.0");
  return kSuccess;
}
int nvmlSystemGetNVMLVersion(char *text, unsigned size) {
  return nvmlSystemGetDriverVersion(text, size);
}
int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = (unsigned)device_count;
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **d) {
  double hidden;
  if (index >= (unsigned)device_count) return kInvalid;
  if (get(&devices[index], "hidden", &hidden) == kSuccess)
    return 4; /* NO_PERMISSION: as in a cgroup without the device */
  *d = &devices[index];
  return kSuccess;
}
int nvmlDeviceGetIndex(struct device *d, unsigned *index) {
  *index = (unsigned)d->index;
  return kSuccess;
}
int nvmlDeviceGetMinorNumber(struct device *d, unsigned *minor) {
  if (get_unsigned(d, "minor", minor) != kSuccess) *minor = (unsigned)d->index;
  return kSuccess;
}
int nvmlDeviceGetUUID(struct device *d, char *text, unsigned size) {
  snprintf(text, size, "GPU-%08x-0000-0000-0000-000000000000",
           (unsigned)d->index + 0xfa4e0000u);
  return kSuccess;
}
int nvmlDeviceGetHandleByUUID(const char *uuid, struct device **d) {
  char own[64];
  for (int i = 0; i < device_count; ++i) {
    nvmlDeviceGetUUID(&devices[i], own, sizeof own);
    if (strcmp(own, uuid) == 0) {
      *d = &devices[i];
      return kSuccess;
    }
  }
  return 6;
}
int nvmlDeviceGetName(struct device *d, char *text, unsigned size) {
  (void)d;
  snprintf(text, size, "Test double GPU");
  return kSuccess;
}
int nvmlDeviceGetPowerManagementDefaultLimit(struct device *d, unsigned *mw) {
  return get_unsigned(d, "power_limit_mw", mw);
}
int nvmlDeviceGetEnforcedPowerLimit(struct device *d, unsigned *mw) {
  return get_unsigned(d, "power_limit_mw", mw);
}

struct utilization {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(struct device *d, struct utilization *u) {
  const int result = get_unsigned(d, "gpu_util", &u->gpu);
  if (result == kSuccess && get_unsigned(d, "memory_util", &u->memory))
    u->memory = 0;
  return result;
}

struct memory {
  unsigned long long total, free, used;
};
struct memory_v2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo(struct device *d, struct memory *m) {
  const int result = get_long(d, "memory_total", &m->total);
  if (result != kSuccess) return result;
  if (get_long(d, "memory_used", &m->used)) m->used = 0;
  m->free = m->total - m->used;
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo_v2(struct device *d, struct memory_v2 *m) {
  struct memory v1;
  int result = get_long(d, "memory_reserved", &m->reserved);
  if (result != kSuccess) return result;
  if (m->version != (sizeof *m | 2u << 24)) return 25; /* VERSION_MISMATCH */
  result = nvmlDeviceGetMemoryInfo(d, &v1);
  if (result != kSuccess) return result;
  m->total = v1.total;
  m->used = v1.used;
  m->free = v1.total - v1.used - m->reserved;
  return kSuccess;
}
int nvmlDeviceGetPowerUsage(struct device *d, unsigned *mw) {
  return get_unsigned(d, "power_mw", mw);
}
int nvmlDeviceGetTotalEnergyConsumption(struct device *d,
                                        unsigned long long *mj) {
  return get_long(d, "energy_mj", mj);
}
int nvmlDeviceGetTemperature(struct device *d, int sensor, unsigned *celsius) {
  if (sensor != 0) return kInvalid;
  return get_unsigned(d, "temperature", celsius);
}
int nvmlDeviceGetClockInfo(struct device *d, int clock, unsigned *mhz) {
  return get_unsigned(d, clock == 1 ? "sm_clock" : "memory_clock", mhz);
}
int nvmlDeviceGetCurrentClocksEventReasons(struct device *d,
                                           unsigned long long *reasons) {
  return get_long(d, "clock_reasons", reasons);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *d,
                                              unsigned long long *reasons) {
  return get_long(d, "clock_reasons", reasons);
}
int nvmlDeviceGetTotalEccErrors(struct device *d, int type, int counter,
                                unsigned long long *count) {
  (void)counter;
  return get_long(d, type == 1 ? "ecc_uncorrected" : "ecc_corrected", count);
}
int nvmlDeviceGetRemappedRows(struct device *d, unsigned *corrected,
                              unsigned *uncorrected, unsigned *pending,
                              unsigned *failed) {
  const int result = get_unsigned(d, "remapped_uncorrected", uncorrected);
  *corrected = *pending = *failed = 0;
  return result;
}
struct process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *d, unsigned *count,
                                            struct process *processes) {
  unsigned found = 0;
  const int result = enter(d);
  if (result != kSuccess) return result;
  for (int i = 0; i < row_count; ++i) {
    if (rows[i].gpu != d->index || strcmp(rows[i].name, "process")) continue;
    if (found < *count) {
      memset(&processes[found], 0, sizeof processes[found]);
      processes[found].pid = (unsigned)rows[i].value;
    }
    ++found;
  }
  const int fits = found <= *count;
  *count = found;
  return fits ? kSuccess : 7; /* INSUFFICIENT_SIZE */
}
int nvmlDeviceGetPcieThroughput(struct device *d, int direction,
                                unsigned *kib) {
  return get_unsigned(d, direction == 0 ? "pcie_tx_kib" : "pcie_rx_kib", kib);
}
int nvmlDeviceGetNvLinkState(struct device *d, unsigned link, unsigned *on) {
  (void)link;
  return get_unsigned(d, "nvlink", on);
}

static int event_set;
struct event {
  struct device *device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
int nvmlEventSetCreate(void **set) {
  *set = &event_set;
  return kSuccess;
}
int nvmlEventSetFree(void *set) {
  (void)set;
  return kSuccess;
}
int nvmlDeviceRegisterEvents(struct device *d, unsigned long long types,
                             void *set) {
  (void)d;
  (void)types;
  (void)set;
  return kSuccess;
}
int nvmlEventSetWait_v2(void *set, struct event *event, unsigned timeout_ms) {
  const double elapsed = now() - start;
  (void)set;
  (void)timeout_ms;
  for (int i = 0; i < row_count; ++i) {
    struct row *r = &rows[i];
    if (strcmp(r->name, "xid") || r->taken || r->time > elapsed) continue;
    r->taken = 1;
    memset(event, 0, sizeof *event);
    event->device = &devices[r->gpu];
    event->type = 8;
    event->data = (unsigned long long)r->value;
    return kSuccess;
  }
  return kTimeout;
}

struct gpm_support {
  unsigned version, supported;
};
struct gpm_sample {
  double time;
  int gpu;
};
struct gpm_metric {
  unsigned id;
  int result;
  double value;
  const char *short_name, *long_name, *unit;
};
struct gpm_request {
  unsigned version, count;
  struct gpm_sample *first, *second;
  struct gpm_metric metrics[];
};
int nvmlGpmQueryDeviceSupport(struct device *d, struct gpm_support *support) {
  support->supported = find(d->index, "gpm") != NULL;
  return kSuccess;
}
int nvmlGpmSampleAlloc(struct gpm_sample **sample) {
  *sample = calloc(1, sizeof **sample);
  return *sample ? kSuccess : 999;
}
int nvmlGpmSampleFree(struct gpm_sample *sample) {
  free(sample);
  return kSuccess;
}
int nvmlGpmSampleGet(struct device *d, struct gpm_sample *sample) {
  sample->time = now();
  sample->gpu = d->index;
  return enter(d);
}
int nvmlGpmMetricsGet(struct gpm_request *request) {
  if (request->version != 1) return 25;
  /* NVML refuses samples that are too close. */
  if (request->second->time - request->first->time < 0.1) return kInvalid;
  for (unsigned i = 0; i < request->count; ++i) {
    struct gpm_metric *m = &request->metrics[i];
    char name[32];
    snprintf(name, sizeof name, "gpm.%u", m->id);
    m->result = get(&devices[request->second->gpu], name, &m->value);
    m->unit = m->id >= 20 ? "MiB/s" : "%";
  }
  return kSuccess;
}
