/* A test double of libnccl.so.2, for tests only. Ranks of at most two processes
 * meet at a socket and sum in memory; only sums and broadcasts of floats, in
 * groups.
 *
 * FAKE_NCCL_DIR        the directory of the sockets, and of the file `ids` with
 *                      a line for each unique id
 * FAKE_NCCL_NODE       the name of this node
 * FAKE_NCCL_HANG_WITH  a node with which a communicator is never ready; "*":
 *                      with each
 * FAKE_NCCL_ERROR      the name of a call that fails with ncclSystemError
 * FAKE_NCCL_RATE       the bandwidth of this node, in bytes a second
 * FAKE_NCCL_WRONG      set: the sums and broadcasts on this node are wrong
 * FAKE_NCCL_LOG        a file with a line for each broadcast: its root, its count
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { kSuccess = 0, kSystemError = 2, kInvalidArgument = 4 };
enum { kInvalidUsage = 5, kRemoteError = 6 };
enum { kFloat = 7, kSum = 0, kMaxPending = 64, kNameBytes = 64 };
enum { kNoRoot = -1 };

typedef struct {
  char bytes[128];
} unique_id;

/* What the processes of a communicator share. */
struct world {
  int peer; /* the other process; -1: there is none */
  int first, local, ranks;
};

struct communicator {
  struct world *world;
  int rank;
};

struct init {
  struct communicator **communicator;
  int ranks, rank;
  unique_id id;
};

struct sum {
  const float *from;
  float *to;
  size_t count;
  struct communicator *communicator;
  int root; /* of a broadcast; kNoRoot: a sum */
};

/* What each process sends first. */
struct greeting {
  char node[kNameBytes];
  int first, local;
};

static struct init inits[kMaxPending];
static struct sum sums[kMaxPending];
static int init_count, sum_count, in_group;
static int listener = -1;

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static int fails(const char *call) {
  return strcmp(variable("FAKE_NCCL_ERROR"), call) == 0;
}

static struct sockaddr_un address_of(const unique_id *id) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%.16s",
           variable("FAKE_NCCL_DIR"), id->bytes);
  return address;
}

static int send_all(int fd, const void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t put =
        send(fd, (const char *)bytes + at, size - at, MSG_NOSIGNAL);
    if (put <= 0) return kRemoteError;
    at += (size_t)put;
  }
  return kSuccess;
}

static int receive_all(int fd, void *bytes, size_t size) {
  for (size_t at = 0; at < size;) {
    const ssize_t got = recv(fd, (char *)bytes + at, size - at, 0);
    if (got <= 0) return kRemoteError;
    at += (size_t)got;
  }
  return kSuccess;
}

static int connect_peer(const struct init *init, struct world *world) {
  const struct sockaddr_un address = address_of(&init->id);
  if (world->first == 0) {
    world->peer = accept(listener, NULL, NULL);
    if (world->peer < 0) return kSystemError;
  } else {
    world->peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(world->peer, (const struct sockaddr *)&address,
                sizeof address) != 0)
      return kSystemError;
  }
  struct greeting own = {.first = world->first, .local = world->local};
  struct greeting other;
  snprintf(own.node, sizeof own.node, "%s", variable("FAKE_NCCL_NODE"));
  if (send_all(world->peer, &own, sizeof own) ||
      receive_all(world->peer, &other, sizeof other))
    return kRemoteError;
  const char *hang = variable("FAKE_NCCL_HANG_WITH");
  if (strcmp(hang, "*") == 0 || strcmp(hang, other.node) == 0)
    for (;;) pause();
  /* the ranks of both processes are those of the communicator, in order */
  return own.local + other.local == world->ranks &&
                 (own.first == 0 ? other.first == own.local
                                 : other.first == 0 && own.first == other.local)
             ? kSuccess
             : kInvalidArgument;
}

static int connect_ranks(void) {
  struct world *world = malloc(sizeof *world);
  world->peer = -1;
  world->first = inits[0].rank;
  world->local = init_count;
  world->ranks = inits[0].ranks;
  for (int i = 0; i < init_count; ++i) {
    struct communicator *created = malloc(sizeof *created);
    created->world = world;
    created->rank = inits[i].rank;
    if (created->rank != world->first + i) return kInvalidArgument;
    *inits[i].communicator = created;
  }
  return world->local == world->ranks ? kSuccess
                                      : connect_peer(&inits[0], world);
}

static int add_of_peer(const struct world *world, float *total, size_t count) {
  float *other = malloc(count * sizeof *other);
  const size_t size = count * sizeof *other;
  int result;
  /* one after the other: a socket does not hold all of it */
  if (world->first == 0)
    result = send_all(world->peer, total, size) ||
             receive_all(world->peer, other, size);
  else
    result = receive_all(world->peer, other, size) ||
             send_all(world->peer, total, size);
  for (size_t i = 0; !result && i < count; ++i) total[i] += other[i];
  free(other);
  return result ? kRemoteError : kSuccess;
}

static void take_time(size_t bytes) {
  const double rate = atof(variable("FAKE_NCCL_RATE"));
  const double seconds = rate > 0 ? (double)bytes / rate : 0;
  struct timespec wait = {.tv_sec = (time_t)seconds};
  wait.tv_nsec = (long)((seconds - (double)wait.tv_sec) * 1e9);
  nanosleep(&wait, NULL);
}

static void log_broadcast(void) {
  const char *path = variable("FAKE_NCCL_LOG");
  if (!*path || sums[0].root == kNoRoot) return;
  FILE *log = fopen(path, "a");
  if (!log) return;
  fprintf(log, "%d %zu\n", sums[0].root, sums[0].count);
  fclose(log);
}

static int run_sums(void) {
  const struct world *world = sums[0].communicator->world;
  const size_t count = sums[0].count;
  if (sum_count != world->local) return kInvalidUsage;
  float *total = calloc(count, sizeof *total);
  for (int rank = 0; rank < sum_count; ++rank) {
    /* a broadcast is a sum to which only its root adds */
    const int root = sums[rank].root;
    if (root != kNoRoot && root != world->first + rank) continue;
    for (size_t i = 0; i < count; ++i) total[i] += sums[rank].from[i];
  }
  log_broadcast();
  take_time(count * sizeof *total);
  const int result =
      world->peer < 0 ? kSuccess : add_of_peer(world, total, count);
  if (getenv("FAKE_NCCL_WRONG")) total[count - 1] += 1;
  for (int rank = 0; rank < sum_count; ++rank)
    memcpy(sums[rank].to, total, count * sizeof *total);
  free(total);
  return result;
}

const char *ncclGetErrorString(int result) {
  switch (result) {
    case kSystemError:
      return "unhandled system error";
    case kRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "error of the test double";
  }
}

int ncclGetUniqueId(unique_id *id) {
  unsigned char random[32];
  if (fails("ncclGetUniqueId") || !*variable("FAKE_NCCL_DIR") ||
      getrandom(random, sizeof random, 0) != sizeof random)
    return kSystemError;
  memset(id, 0, sizeof *id);
  for (size_t i = 0; i < sizeof random; ++i)
    sprintf(id->bytes + 2 * i, "%02x", random[i]);
  char path[256];
  snprintf(path, sizeof path, "%s/ids", variable("FAKE_NCCL_DIR"));
  FILE *ids = fopen(path, "a");
  if (!ids) return kSystemError;
  fprintf(ids, "%s\n", id->bytes);
  fclose(ids);
  const struct sockaddr_un address = address_of(id);
  if (listener >= 0) close(listener);
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  return bind(listener, (const struct sockaddr *)&address, sizeof address) ||
                 listen(listener, 1)
             ? kSystemError
             : kSuccess;
}

int ncclGroupStart(void) {
  in_group = 1;
  init_count = sum_count = 0;
  return kSuccess;
}

int ncclGroupEnd(void) {
  in_group = 0;
  if (init_count > 0) return connect_ranks();
  return sum_count > 0 ? run_sums() : kSuccess;
}

int ncclCommInitRank(void **communicator, int ranks, unique_id id, int rank) {
  if (fails("ncclCommInitRank")) return kSystemError;
  if (!in_group || init_count == kMaxPending) return kInvalidUsage;
  if (rank < 0 || rank >= ranks) return kInvalidArgument;
  inits[init_count++] =
      (struct init){(struct communicator **)communicator, ranks, rank, id};
  return kSuccess;
}

int ncclCommInitAll(void **communicators, int count, const int *devices) {
  (void)devices;
  const unique_id none = {""};
  ncclGroupStart();
  for (int i = 0; i < count; ++i) {
    const int result = ncclCommInitRank(&communicators[i], count, none, i);
    if (result) return result;
  }
  return ncclGroupEnd();
}

int ncclCommDestroy(void *communicator) {
  free(communicator);
  return fails("ncclCommDestroy") ? kSystemError : kSuccess;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type,
                  int operation, void *communicator, void *stream) {
  (void)stream;
  if (fails("ncclAllReduce")) return kSystemError;
  if (!in_group || sum_count == kMaxPending || type != kFloat ||
      operation != kSum)
    return kInvalidUsage;
  sums[sum_count++] = (struct sum){from, to, count, communicator, kNoRoot};
  return kSuccess;
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                  void *communicator, void *stream) {
  (void)stream;
  if (fails("ncclBroadcast")) return kSystemError;
  const struct communicator *own = communicator;
  if (!in_group || sum_count == kMaxPending || type != kFloat)
    return kInvalidUsage;
  if (root < 0 || root >= own->world->ranks) return kInvalidArgument;
  sums[sum_count++] = (struct sum){from, to, count, communicator, root};
  return kSuccess;
}
