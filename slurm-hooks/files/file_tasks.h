// Copies, moves and deletions, which may take long, in background threads.
#ifndef CARME_SLURM_HOOKS_FILES_FILE_TASKS_H_
#define CARME_SLURM_HOOKS_FILES_FILE_TASKS_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/concurrency/thread_pool.h"

namespace carme::files {

// Thread-safe.
class FileTasks {
 public:
  // `umask` is for new directories.
  explicit FileTasks(mode_t umask);
  ~FileTasks();  // cancels what runs

  // Each returns the id of a new task. None replaces an existing file. What can
  // be checked at once fails at once; kBusy: too many tasks wait.
  absl::StatusOr<std::string> Copy(const std::string& from,
                                   const std::string& to);
  // Copies and deletes if `to` is on another file system.
  absl::StatusOr<std::string> Move(const std::string& from,
                                   const std::string& to);
  absl::StatusOr<std::string> Delete(const std::string& path);

  // The newest tasks as JSON, in the order in which they were added.
  std::string ListJson() const;
  // False: no such task.
  bool Cancel(std::string_view id);

 private:
  struct Task;
  absl::StatusOr<std::string> Add(std::shared_ptr<Task> task);
  void Run(Task* task);

  const mode_t umask_;
  mutable absl::Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::deque<std::shared_ptr<Task>> tasks_ ABSL_GUARDED_BY(mutex_);
  ThreadPool threads_;  // last: uses the other members
};

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_FILE_TASKS_H_
