// Makes an image of the user's own, as the user: a SIF is measured where it
// lies, everything else is built by Apptainer into ~/carme-images. Or reads or
// copies the file of an image that is there (image_copy.h).
//
//   Begin ─► the source is the user's ─► apptainer build ─► measured ─► Done
//
// What the source holds is the user's own matter: it is read with the user's
// rights, in the user's job, and nothing else ever reads it.
//
// Thread rule: the loop's thread; only measuring has another one.
#ifndef CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_BUILD_H_
#define CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_BUILD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/net/event_loop.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/process/child_process.h"

namespace carme::agent {

struct ImageFileInfo {
  std::string path;    // absolute
  std::string sha256;  // 64 hexadecimal digits
  int64_t size_bytes = 0;
};

// FAILED_PRECONDITION: no SIF; a link, or another user's; it changed while it
// was read. NOT_FOUND and others of open(2). Blocks, about a second a GB.
absl::StatusOr<ImageFileInfo> MeasureImage(const std::string& path);

// Whether the file begins as a SIF does.
bool IsSif(int fd);

// `path` of the plan as an absolute one. FAILED_PRECONDITION, and those of
// open(2): what lies there is a link, of another kind, or not the user's.
absl::StatusOr<std::string> FindImageSource(const ImageBuildPlan& plan,
                                            const std::string& home);

class ImageBuild {
 public:
  // Once.
  using Done = std::function<void(absl::StatusOr<ImageFileInfo>)>;

  // `loop` must outlive this.
  ImageBuild(net::EventLoop& loop, JobFacts facts, ImageBuildPlan plan,
             Done done);
  // Ends what is under way, and leaves no half of an image.
  ~ImageBuild();

  void Begin();
  // For SIGCHLD.
  void OnChild();

 private:
  absl::Status Start();
  absl::Status CheckNode() const;
  absl::Status Unpack();
  std::string Unpacked() const;
  absl::Status StartApptainer(const std::string& source);
  // On the thread.
  void Run(std::function<absl::StatusOr<ImageFileInfo>()> work);
  void End(absl::StatusOr<ImageFileInfo> made);

  net::EventLoop& loop_;
  const JobFacts facts_;
  const ImageBuildPlan plan_;
  Done done_;
  std::string part_;      // what Apptainer writes; empty: nothing
  std::string target_;    // what it becomes
  std::string source_;    // the user's file
  std::string unpacked_;  // in the scratch; empty: not unpacked
  std::optional<node::ChildProcess> child_;  // tar, then Apptainer
  std::thread measuring_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_BUILD_H_
