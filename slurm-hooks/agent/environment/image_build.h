// Builds an image as the user: a SIF is hashed where it is, everything else is
// built by Apptainer into ~/carme-images. Also checks or copies the file of an
// existing image (image_copy.h).
//
//     Begin ─► source checked ─► apptainer build ─► hashed ─► Done
//
// The source is read with the user's rights in the user's job, and by nothing
// else. For a recipe (image_recipe.h), the digest of its base image is verified
// first, and the base is unpacked into the job's scratch.
//
// Thread safety: used on the loop's thread only; hashing runs on another.
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
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

struct ImageFileInfo {
  std::string path;    // absolute
  std::string sha256;  // 64 hexadecimal digits
  int64_t size_bytes = 0;
};

// Hashes an image. FAILED_PRECONDITION: not a SIF; a link, or another user's;
// it changed during the read. NOT_FOUND and others of open(2). Blocks, about a
// second per GB.
absl::StatusOr<ImageFileInfo> MeasureImage(const std::string& path);

// Returns whether the file begins like a SIF.
bool IsSif(int fd);

// Returns `path` of the plan as an absolute path. FAILED_PRECONDITION and
// errors of open(2): it is a link, of another kind, or not the user's.
absl::StatusOr<std::string> FindImageSource(const ImageBuildPlan& plan,
                                            const std::string& home);

class ImageBuild {
 public:
  // Called once.
  using Done = std::function<void(absl::StatusOr<ImageFileInfo>)>;

  // `loop` must outlive this.
  ImageBuild(net::EventLoop& loop, JobFacts facts, ImageBuildPlan plan,
             Done done);
  // Cancels the build and removes a partial image.
  ~ImageBuild();

  void Begin();
  // Must be called for each SIGCHLD.
  void OnChild();

 private:
  absl::Status Start();
  absl::Status CheckNode() const;
  absl::Status StartRecipe();
  void OnBaseChecked(const absl::Status& checked);
  absl::Status UnpackBase();
  // Runs `apptainer build` with these arguments in the directory.
  absl::Status RunApptainer(const std::vector<std::string>& arguments,
                            const std::string& directory);
  absl::Status Unpack();
  std::string Unpacked() const;
  absl::Status StartApptainer(const std::string& source);
  // Runs `work` on a thread.
  void Run(std::function<absl::StatusOr<ImageFileInfo>()> work);
  void End(absl::StatusOr<ImageFileInfo> made);

  net::EventLoop& loop_;
  const JobFacts facts_;
  const ImageBuildPlan plan_;
  Done done_;
  std::string part_;      // file that Apptainer writes, or empty
  std::string target_;    // its final name
  std::string source_;    // the user's file, or the recipe's definition
  std::string unpacked_;  // in the scratch directory; empty: not unpacked
  std::optional<node::ChildProcess> child_;  // tar, then Apptainer
  std::thread measuring_;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_ENVIRONMENT_IMAGE_BUILD_H_
