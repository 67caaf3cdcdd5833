/* A test double of libdcgm.so.4 and its host engine, for tests only. Its
 * version begins with "test double", so that every series shows it.
 *
 * FAKE_DCGM_SERIES names a file as in fake_series.h, read by dcgmInit:
 *   devices          (GPU is ignored) the number of devices
 *   uuid             the number in the UUID; without it, that of the device
 *   mig              the MIG mode; without it, NOT_SUPPORTED
 *   field.ID         the value of a field after each update
 *   blank.ID         instead: the blank value with this number
 *   status.ID        instead: this status
 *   kept             before the first update, values of an earlier time exist
 *   stopped          there are no more updates than this
 *   call.NAME        (GPU is ignored) the result of init, connect, values
 *   watch.ID         (GPU is ignored) the result of a watch with this field
 *   slow_ms.NAME     (GPU is ignored) connect or values take so long
 *   connect_version  (GPU is ignored) of the structure that is accepted
 *   value_version    (GPU is ignored) of the structures in a response
 * FAKE_DCGM_LOG names a file to which what is asked is appended. */
#include <stdint.h>

#include "tests/slurm-hooks/gpu/fake_series.h"

enum { kOk = 0, kBadParameter = -1, kVersionMismatch = -12, kNoData = -14 };
enum { kNotWatched = -16, kNoConnection = -21, kDuplicateKey = -26 };
enum { kMaxDevices = 32, kMaxFields = 64, kMaxGroups = 8 };
static const int64_t kBlank = 0x7ffffffffffffff0;
static const double kBlankDouble = 140737488355328.0;

struct group {
  char name[128];
  int count;
  unsigned members[kMaxFields];
};
static struct group groups[kMaxGroups];
static int group_count;
/* When the watch of a field of a device began; 0: it is not watched. */
struct watch {
  double start, interval;
};
static struct watch watches[kMaxDevices][2048];
static int connected;

static void note(const char *what, unsigned gpu, unsigned field) {
  const char *path = getenv("FAKE_DCGM_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s %u %u\n", what, gpu, field);
  fclose(file);
}

/* The row for any device. */
static int call_result(const char *prefix, const char *name) {
  char whole[32];
  const struct row *r;
  snprintf(whole, sizeof whole, "%s.%s", prefix, name);
  r = find(0, whole);
  return r ? (int)r->value : 0;
}

int dcgmInit(void) {
  load_rows("FAKE_DCGM_SERIES");
  memset(groups, 0, sizeof groups);
  memset(watches, 0, sizeof watches);
  group_count = 0;
  return call_result("call", "init");
}
int dcgmShutdown(void) {
  note("shutdown", 0, 0);
  return kOk;
}
const char *errorString(int result) {
  switch (result) {
    case kVersionMismatch:
      return "API version mismatch";
    case kNoConnection:
      return "The connection to the host engine is not valid any longer";
    case -29:
      return "This operation requires root";
    default:
      return NULL;
  }
}

struct connect_options {
  unsigned version, persist, timeout_ms, is_unix_socket;
};
int dcgmConnect_v2(const char *address, struct connect_options *options,
                   uintptr_t *handle) {
  const unsigned version = (unsigned)first_value("connect_version", 2);
  const int slow = call_result("slow_ms", "connect");
  const int result = call_result("call", "connect");
  if (slow) sleep_ms(slow);
  if (options->version != (sizeof *options | version << 24))
    return kVersionMismatch;
  if (options->persist) return kBadParameter;
  if (options->is_unix_socket != (unsigned)(address[0] == '/'))
    return kBadParameter;
  if (result) return result;
  *handle = 0x7fff;
  connected = 1;
  return kOk;
}
int dcgmDisconnect(uintptr_t handle) {
  (void)handle;
  note("disconnect", 0, 0);
  connected = 0;
  return kOk;
}

struct build {
  unsigned version;
  char text[512];
};
int dcgmHostengineVersionInfo(uintptr_t handle, struct build *build) {
  (void)handle;
  if (build->version != (sizeof *build | 2u << 24)) return kVersionMismatch;
  snprintf(build->text, sizeof build->text,
           "version:test double 4.0;arch:x86_64;buildtype:none");
  return kOk;
}

int dcgmGetAllDevices(uintptr_t handle, unsigned *ids, int *count) {
  (void)handle;
  *count = (int)first_value("devices", 1);
  if (*count > kMaxDevices) *count = kMaxDevices;
  for (int i = 0; i < *count; ++i) ids[i] = (unsigned)i;
  return kOk;
}

static int new_group(const char *name, uintptr_t *group) {
  if (!connected || group_count == kMaxGroups) return kBadParameter;
  for (int i = 0; i < group_count; ++i) {
    if (strcmp(groups[i].name, name) == 0) return kDuplicateKey;
  }
  snprintf(groups[group_count].name, sizeof groups[0].name, "%s", name);
  *group = (uintptr_t)group_count++;
  return kOk;
}
int dcgmGroupCreate(uintptr_t handle, int type, const char *name,
                    uintptr_t *group) {
  (void)handle;
  if (type != 1) return kBadParameter; /* not an empty group */
  return new_group(name, group);
}
int dcgmGroupAddDevice(uintptr_t handle, uintptr_t group, unsigned id) {
  (void)handle;
  groups[group].members[groups[group].count++] = id;
  return kOk;
}
int dcgmFieldGroupCreate(uintptr_t handle, int count, const uint16_t *fields,
                         const char *name, uintptr_t *group) {
  const int result = new_group(name, group);
  (void)handle;
  if (result != kOk) return result;
  for (int i = 0; i < count; ++i) groups[*group].members[i] = fields[i];
  groups[*group].count = count;
  return kOk;
}
int dcgmWatchFields(uintptr_t handle, uintptr_t gpus, uintptr_t fields,
                    long long interval_us, double max_age, int max_samples) {
  (void)handle;
  (void)max_age;
  (void)max_samples;
  for (int f = 0; f < groups[fields].count; ++f) {
    char id[16];
    int result;
    snprintf(id, sizeof id, "%u", groups[fields].members[f]);
    result = call_result("watch", id);
    if (result) return result;
  }
  for (int g = 0; g < groups[gpus].count; ++g) {
    for (int f = 0; f < groups[fields].count; ++f) {
      const unsigned gpu = groups[gpus].members[g];
      const unsigned field = groups[fields].members[f];
      watches[gpu][field].start = now();
      watches[gpu][field].interval = (double)interval_us / 1e6;
      note("watch", gpu, field);
    }
  }
  return kOk;
}

struct entity {
  int kind;
  unsigned id;
};
struct value {
  unsigned version;
  int entity_kind;
  unsigned entity;
  uint16_t field, type;
  int status;
  unsigned unused;
  int64_t time_us;
  union {
    int64_t integer;
    double number;
    char text[256];
    char blob[4096];
  } value;
};

static void read_live(struct value *v) {
  const struct row *r;
  if (v->field == 54) {
    r = find((int)v->entity, "uuid");
    v->type = 's';
    snprintf(v->value.text, sizeof v->value.text,
             "GPU-%08x-0000-0000-0000-000000000000",
             (r ? (unsigned)r->value : v->entity) + 0xfa4e0000u);
  } else {
    r = find((int)v->entity, "mig");
    v->type = 'i';
    v->value.integer = r ? (int64_t)r->value : kBlank + 2;
  }
}

static void read_watched(struct value *v) {
  const struct watch *w = &watches[v->entity][v->field];
  const struct row *stopped = find((int)v->entity, "stopped");
  const struct row *r;
  char name[32];
  long updates;
  v->type = v->field >= 1009 ? 'i' : 'd';
  if (w->start == 0) {
    v->status = kNotWatched;
    return;
  }
  updates = (long)((now() - w->start) / w->interval);
  if (stopped && updates > (long)stopped->value) updates = (long)stopped->value;
  if (updates < 1 && !find((int)v->entity, "kept")) {
    v->status = kNoData;
    return;
  }
  v->time_us = 1700000000000000 + (int64_t)((double)updates * w->interval * 1e6);
  snprintf(name, sizeof name, "status.%u", v->field);
  r = find((int)v->entity, name);
  if (r) {
    v->status = (int)r->value;
    return;
  }
  snprintf(name, sizeof name, "blank.%u", v->field);
  r = find((int)v->entity, name);
  if (r && v->type == 'd') {
    v->value.number = kBlankDouble + r->value;
    return;
  }
  if (r) {
    v->value.integer = kBlank + (int64_t)r->value;
    return;
  }
  snprintf(name, sizeof name, "field.%u", v->field);
  r = find((int)v->entity, name);
  if (v->type == 'd')
    v->value.number = r ? r->value : kBlankDouble + 2;
  else
    v->value.integer = r ? (int64_t)r->value : kBlank + 2;
}

int dcgmEntitiesGetLatestValues(uintptr_t handle, struct entity *entities,
                                unsigned entity_count, uint16_t *fields,
                                unsigned field_count, unsigned flags,
                                struct value *values) {
  const unsigned version = (unsigned)first_value("value_version", 2);
  const int slow = call_result("slow_ms", "values");
  const int result = call_result("call", "values");
  (void)handle;
  if (slow) sleep_ms(slow);
  if (result) return result;
  /* In no order: the last device and field first. */
  for (unsigned e = entity_count; e-- > 0;) {
    for (unsigned f = field_count; f-- > 0;) {
      struct value *v = values++;
      memset(v, 0, sizeof *v);
      if (entities[e].kind != 1 || entities[e].id >= kMaxDevices)
        return kBadParameter;
      v->version = (unsigned)(sizeof *v | version << 24);
      v->entity_kind = entities[e].kind;
      v->entity = entities[e].id;
      v->field = fields[f];
      note(flags & 1 ? "live" : "value", v->entity, v->field);
      if (flags & 1)
        read_live(v);
      else
        read_watched(v);
    }
  }
  return kOk;
}
