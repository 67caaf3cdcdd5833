#include "slurm-hooks/files/file_tasks.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "common/printable.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/file_tree/tree_copy.h"
#include "slurm-hooks/file_tree/tree_delete.h"
#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/files/request_target.h"
#include "slurm-hooks/files/upload.h"
#include "slurm-hooks/web_app/json.h"

namespace carme::files {
namespace {

using web_app::JsonString;

constexpr int kThreads = 2;
constexpr size_t kMaxWaiting = 40;
constexpr size_t kMaxListed = 50;

enum class Kind {
  kCopy,
  kMove,
  kDelete,
};
enum class State {
  kRunning,
  kDone,
  kFailed,
  kCancelled,
};

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kCopy:
      return "copy";
    case Kind::kMove:
      return "move";
    case Kind::kDelete:
      return "delete";
  }
  return "";
}

std::string_view NameOf(State state) {
  switch (state) {
    case State::kRunning:
      return "running";
    case State::kDone:
      return "done";
    case State::kFailed:
      return "failed";
    case State::kCancelled:
      return "cancelled";
  }
  return "";
}

absl::Status CheckNew(const std::string& to) {
  struct stat info {};
  const std::string what = absl::StrCat("create \"", to, "\"");
  if (to == "/" || lstat(to.c_str(), &info) == 0) {
    return FileErrno(EEXIST, what);
  }
  if (errno != ENOENT) return FileErrno(errno, what);
  if (stat(ParentPath(to).c_str(), &info) != 0) return FileErrno(errno, what);
  return absl::OkStatus();
}

absl::Status CheckSource(const std::string& from) {
  struct stat info {};
  const std::string what = absl::StrCat("open \"", from, "\"");
  if (from == "/") return FileErrno(EACCES, what);
  if (lstat(from.c_str(), &info) != 0) return FileErrno(errno, what);
  return absl::OkStatus();
}

// Whether `path` would be in the directory `directory`, also by links.
bool IsBelow(const std::string& path, const std::string& directory) {
  char parent[PATH_MAX], top[PATH_MAX];
  if (realpath(ParentPath(path).c_str(), parent) == nullptr ||
      realpath(directory.c_str(), top) == nullptr) {
    return path.starts_with(directory + "/");
  }
  return absl::StrCat(parent, "/").rfind(absl::StrCat(top, "/"), 0) == 0;
}

absl::Status CheckPair(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(CheckSource(from));
  if (IsBelow(to, from)) {
    return FileErrno(EINVAL, absl::StrCat("copy \"", from, "\" into itself"));
  }
  return CheckNew(to);
}

// Under a temporary name, so that the copy appears when it is complete.
absl::Status CopyToNew(const std::string& from, const std::string& to,
                       mode_t umask, node::CopyProgress* progress) {
  const std::string parent = ParentPath(to);
  const std::string temporary = absl::StrCat(
      parent == "/" ? "" : parent, "/.carme-copy-", HexEncode(RandomBytes(8)));
  absl::Status copied = node::CopyTree(from, temporary, umask, progress);
  if (copied.ok()) copied = RenameToNew(temporary, to);
  if (!copied.ok()) {
    node::CopyProgress deleted;
    node::DeleteTree(temporary, &deleted, node::DeleteMode::kOwnCopy)
        .IgnoreError();
  }
  return copied;
}

// Moves a link itself, not what it leads to.
absl::Status MoveLink(const std::string& from, const std::string& to) {
  char target[PATH_MAX];
  const ssize_t size = readlink(from.c_str(), target, sizeof target - 1);
  if (size < 0) return FileErrno(errno, absl::StrCat("read \"", from, "\""));
  target[size] = '\0';
  if (symlink(target, to.c_str()) != 0) {
    return FileErrno(errno, absl::StrCat("create \"", to, "\""));
  }
  if (unlink(from.c_str()) == 0) return absl::OkStatus();
  return FileErrno(errno, absl::StrCat("delete \"", from, "\""));
}

absl::Status MoveToNew(const std::string& from, const std::string& to,
                       mode_t umask, node::CopyProgress* progress) {
  const absl::Status renamed = RenameToNew(from, to);
  if (renamed.ok() || ErrorCodeOf(renamed).name != kOtherFileSystem.name) {
    return renamed;
  }
  struct stat info {};
  if (lstat(from.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    return MoveLink(from, to);
  }
  RETURN_IF_ERROR(CopyToNew(from, to, umask, progress));
  if (progress->left_out > 0) {
    return FileError(kFailed,
                     absl::StrCat("\"", from,
                                  "\" stays: devices, sockets or pipes in it "
                                  "were not copied"));
  }
  node::CopyProgress deleted;
  return node::DeleteTree(from, &deleted);
}

}  // namespace

struct FileTasks::Task {
  Kind kind;
  std::string from, to;
  std::string id{};
  node::CopyProgress progress{};
  // Guarded by mutex_ of FileTasks.
  State state = State::kRunning;
  absl::Status status{};
};

FileTasks::FileTasks(mode_t umask)
    : umask_(umask), threads_(kThreads, kMaxWaiting) {}

FileTasks::~FileTasks() {
  const absl::MutexLock lock(&mutex_);
  for (const auto& task : tasks_) task->progress.cancel = true;
}

absl::StatusOr<std::string> FileTasks::Copy(const std::string& from,
                                            const std::string& to) {
  RETURN_IF_ERROR(CheckPair(from, to));
  return Add(std::make_shared<Task>(Kind::kCopy, from, to));
}

absl::StatusOr<std::string> FileTasks::Move(const std::string& from,
                                            const std::string& to) {
  RETURN_IF_ERROR(CheckPair(from, to));
  return Add(std::make_shared<Task>(Kind::kMove, from, to));
}

absl::StatusOr<std::string> FileTasks::Delete(const std::string& path) {
  RETURN_IF_ERROR(CheckSource(path));
  return Add(std::make_shared<Task>(Kind::kDelete, path, ""));
}

absl::StatusOr<std::string> FileTasks::Add(std::shared_ptr<Task> task) {
  const absl::MutexLock lock(&mutex_);
  task->id = absl::StrCat(next_id_++);
  if (!threads_.Add([this, task] { Run(task.get()); })) {
    return FileError(kBusy, "too many tasks are waiting");
  }
  tasks_.push_back(task);
  const auto is_over = [](const std::shared_ptr<Task>& listed) {
    return listed->state != State::kRunning;
  };
  if (tasks_.size() > kMaxListed) {
    const auto old = std::find_if(tasks_.begin(), tasks_.end(), is_over);
    if (old != tasks_.end()) tasks_.erase(old);
  }
  return task->id;
}

void FileTasks::Run(Task* task) {
  absl::Status done;
  node::CopyProgress* progress = &task->progress;
  if (progress->cancel) {
    done = absl::CancelledError("cancelled");
  } else if (task->kind == Kind::kCopy) {
    done = CopyToNew(task->from, task->to, umask_, progress);
  } else if (task->kind == Kind::kMove) {
    done = MoveToNew(task->from, task->to, umask_, progress);
  } else {
    done = node::DeleteTree(task->from, progress);
  }
  const absl::MutexLock lock(&mutex_);
  task->state = done.ok()                 ? State::kDone
                : absl::IsCancelled(done) ? State::kCancelled
                                          : State::kFailed;
  task->status = done;
}

std::string FileTasks::ListJson() const {
  const absl::MutexLock lock(&mutex_);
  std::string list;
  for (const auto& task : tasks_) {
    absl::StrAppend(&list, list.empty() ? "" : ",", "{\"id\":\"", task->id,
                    "\",\"kind\":\"", std::string(NameOf(task->kind)),
                    "\",\"path\":", JsonString(ValidUtf8(task->from)),
                    ",\"to\":", JsonString(ValidUtf8(task->to)),
                    ",\"state\":\"", std::string(NameOf(task->state)),
                    "\",\"files\":", task->progress.files.load(),
                    ",\"bytes\":", task->progress.bytes.load());
    if (task->state == State::kFailed) {
      const std::string text(task->status.message());
      absl::StrAppend(&list, ",\"code\":\"",
                      std::string(ErrorCodeOf(task->status).name),
                      "\",\"error\":", JsonString(ValidUtf8(text)));
    }
    list += "}";
  }
  return absl::StrCat("{\"tasks\":[", list, "]}");
}

bool FileTasks::Cancel(std::string_view id) {
  const absl::MutexLock lock(&mutex_);
  for (const auto& task : tasks_) {
    if (task->id != id) continue;
    task->progress.cancel = true;
    return true;
  }
  return false;
}

}  // namespace carme::files
