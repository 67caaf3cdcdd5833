// What a batch job writes, copied to the file that its user named and, up to a
// bound, to the job's log: on a thread, because a file system may hang or be
// full. What could not be written is said in the end.
//
// Thread rule: the loop's thread.
#ifndef CARME_SLURM_HOOKS_AGENT_OUTPUT_COPY_H_
#define CARME_SLURM_HOOKS_AGENT_OUTPUT_COPY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/batch_files.h"

namespace carme::agent {

class OutputCopy {
 public:
  // `on_done` comes once, on the loop, after Finish or when nobody writes any
  // more: the first thing that went wrong. `log` stays the caller's.
  using OnDone = std::function<void(const absl::Status&)>;
  static absl::StatusOr<std::unique_ptr<OutputCopy>> Start(net::EventLoop& loop,
                                                           OutputFile file,
                                                           int log,
                                                           OnDone on_done);
  ~OutputCopy();

  // What the program is to write to.
  int input() const { return input_.get(); }
  // It has been given to the program.
  void Given() { input_.reset(); }
  // The program has ended: what it has written is copied, what others that it
  // left behind may write is not waited for.
  void Finish() { finishing_ = true; }

  static constexpr int64_t kMostInLog = 16 << 20;

 private:
  OutputCopy(net::EventLoop& loop, OutputFile file, int log, OnDone on_done);
  void Copy();
  void Put(const char* bytes, size_t size);
  int WriteAll(int fd, std::string_view bytes);

  net::EventLoop& loop_;
  OutputFile file_;
  const int log_;
  const OnDone on_done_;
  UniqueFd source_;
  UniqueFd input_;
  std::atomic<bool> finishing_ = false;
  int64_t logged_ = 0;
  absl::Status first_error_;
  std::thread thread_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_OUTPUT_COPY_H_
