#include "tests/bench/support/submit_peer.h"

#include <fcntl.h>
#include <grp.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/jobs/store/job_store.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/store/database.h"

extern char** environ;

namespace carme {

using backend::Database;
using backend::Job;
using backend::JobStore;
using backend::Migrations;

namespace {

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "submit_peer: %s\n", what.c_str());
  std::_Exit(1);
}

class Peer {
 public:
  Peer(const std::string& directory, const std::string& user, uid_t uid)
      : user_(user), uid_(uid) {
    auto database = Database::Open(directory + "/carme.db", Migrations());
    if (!database.ok()) Fail(database.status().ToString());
    database_ = *std::move(database);
    store_ = std::make_unique<JobStore>(database_.get());
    slurm_init(nullptr);
  }
  void Record();
  void Bare(int gpus);
  void Sbatch();
  void TestOnly();
  void Squeue();
  void SqueueOfUser();

 private:
  const std::string user_;
  const uid_t uid_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<JobStore> store_;
  Job job_;
};

// Its answer is read through a pipe, as by a program.
void Spawn(const char* const arguments[]) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Fail("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], &actions, nullptr,
                   const_cast<char**>(arguments), environ) != 0) {
    Fail(absl::StrCat("spawn ", arguments[0]));
  }
  close(ends[1]);
  std::string answer;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;) {
    answer.append(part, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) Fail(absl::StrCat(arguments[0], " failed: ", answer));
}

void Peer::Record() {
  job_ = Job();
  job_.id = NewJobId();
  job_.owner = user_;
  job_.owner_uid = Uid(uid_);
  job_.spec = {.name = "bench",
               .nodes = 1,
               .gpus_per_node = 1,
               .cpus_per_node = 1,
               .memory_per_node_mib = 100,
               .walltime = absl::Minutes(5),
               .partition = "main",
               .app = "none"};
  job_.created_at = absl::Now();
  const auto inserted = store_->Insert(
      user_, "", [&](int) -> absl::StatusOr<Job> { return job_; });
  if (!inserted.ok()) Fail(inserted.status().ToString());
}

void Peer::Bare(int gpus) {
  std::string script = "#!/bin/sh\nexec /usr/bin/true\n", feature = "carme",
              comment = absl::StrCat("carme:", job_.id.value()),
              gres = GpuRequest("", gpus), directory = "/tmp",
              null = "/dev/null", path = "PATH=/usr/bin:/bin",
              partition = "main", name = "bench";
  char* environment[] = {path.data(), nullptr};
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.user_id = getuid();
  description.group_id = getgid();
  description.name = name.data();
  description.partition = partition.data();
  description.min_nodes = description.max_nodes = 1;
  description.num_tasks = description.min_cpus = 1;
  description.cpus_per_task = description.ntasks_per_node = 1;
  description.pn_min_memory = 100;
  description.time_limit = 5;
  description.requeue = 0;
  description.features = feature.data();
  description.comment = comment.data();
  description.tres_per_node = gres.data();
  description.script = script.data();
  description.work_dir = directory.data();
  description.std_out = description.std_err = null.data();
  description.environment = environment;
  description.env_size = 1;
  submit_response_msg_t* answer = nullptr;
  if (slurm_submit_batch_job(&description, &answer) != SLURM_SUCCESS) {
    Fail(SlurmErrorText(SlurmErrno()));
  }
  slurm_free_submit_response_response_msg(answer);
}

void Peer::Sbatch() {
  const std::string comment = absl::StrCat("--comment=carme:", job_.id.value());
  const char* const arguments[] = {"sbatch",
                                   "--parsable",
                                   "--job-name=bench",
                                   "--partition=main",
                                   "-N1",
                                   "-n1",
                                   "-c1",
                                   "--mem=100",
                                   "--time=5",
                                   "--constraint=carme",
                                   "--gres=gpu:1",
                                   "--chdir=/tmp",
                                   "--output=/dev/null",
                                   "--no-requeue",
                                   comment.c_str(),
                                   "--wrap=exec /usr/bin/true",
                                   nullptr};
  Spawn(arguments);
}

void Peer::TestOnly() {
  const char* const arguments[] = {"sbatch",
                                   "--test-only",
                                   "--job-name=bench",
                                   "--partition=main",
                                   "-N1",
                                   "-n1",
                                   "-c1",
                                   "--mem=100",
                                   "--time=5",
                                   "--constraint=carme",
                                   "--gres=gpu:1",
                                   "--chdir=/tmp",
                                   "--output=/dev/null",
                                   "--wrap=exec /usr/bin/true",
                                   nullptr};
  Spawn(arguments);
}

void Peer::Squeue() {
  const char* const arguments[] = {"squeue", nullptr};
  Spawn(arguments);
}

void Peer::SqueueOfUser() {
  const char* const arguments[] = {"squeue", "--user", user_.c_str(), nullptr};
  Spawn(arguments);
}

[[noreturn]] void Serve(int socket, const std::string& directory,
                        const std::string& user, uid_t uid) {
  if (initgroups(user.c_str(), uid) != 0 || setgid(uid) != 0 ||
      setuid(uid) != 0) {
    Fail("become the user");
  }
  Peer peer(directory, user, uid);
  for (char what = 0; read(socket, &what, 1) == 1;) {
    const absl::Time start = absl::Now();
    if (what == 'r' || what == 'b' || what == 's') peer.Record();
    if (what == 'b' || what == 'f') peer.Bare(1);
    if (what == 'n') peer.Bare(4);
    if (what == 's') peer.Sbatch();
    if (what == 't') peer.TestOnly();
    if (what == 'q') peer.Squeue();
    if (what == 'u') peer.SqueueOfUser();
    const double ms = absl::ToDoubleMilliseconds(absl::Now() - start);
    if (write(socket, &ms, sizeof ms) != sizeof ms) break;
  }
  std::_Exit(0);
}

}  // namespace

SubmitPeer::SubmitPeer(const std::string& work, const std::string& user,
                       uid_t uid) {
  const std::string directory = absl::StrCat(work, "/peer-", user);
  if (mkdir(directory.c_str(), 0700) != 0 ||
      chown(directory.c_str(), uid, uid) != 0) {
    Fail("make " + directory);
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    Fail("socketpair");
  }
  if (fork() == 0) {
    close(sockets[0]);
    Serve(sockets[1], directory, user, uid);
  }
  close(sockets[1]);
  socket_ = sockets[0];
}

SubmitPeer::~SubmitPeer() {
  close(socket_);
  wait(nullptr);
}

absl::Duration SubmitPeer::Call(char what) {
  double ms = 0;
  if (write(socket_, &what, 1) != 1 ||
      read(socket_, &ms, sizeof ms) != sizeof ms) {
    Fail("the peer is gone");
  }
  return absl::Milliseconds(ms);
}

}  // namespace carme
