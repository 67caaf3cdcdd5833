// What the backend wants to run in a job: its environment, and the apps that
// may be opened there. Plain values, checked before they are used.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::v1 {
class EnvironmentPlan;
class RegisterResponse;
}  // namespace carme::v1

namespace carme::agent {

using Variables = std::map<std::string, std::string>;

struct AppPlan {
  std::string id;
  std::vector<std::string> command;  // its words not replaced yet
  std::string ready_path;            // begins with "/"
  std::string public_host;           // host[:port]
  std::string base_path = "/";       // begins and ends with "/"
  Variables environment;
  // An executable without which the app cannot be opened: absolute, or relative
  // to the user's home. Empty: none.
  std::string requires_file{};
};

enum class Runtime { kNone, kApptainer, kEdf };

struct Bind {
  std::string source;
  std::string target;
  bool read_only = false;
};

struct EnvironmentPlan {
  Runtime runtime = Runtime::kNone;
  std::string image;   // Apptainer only: absolute
  std::string sha256;  // of the image; may be empty for an EDF
  std::string name;    // of the image or environment, for people
  // EDF only: one of them. A file begins with "/" or "~/".
  std::string edf{};  // rendered
  std::string edf_path{};
  std::vector<Bind> binds;
  Variables environment;
  std::string message;  // as the backend sent it: for the job's other nodes
  // The image is another user's: copied before it is checked.
  bool image_is_anothers = false;
  int64_t image_size = 0;  // in bytes; then no more is copied
  // The image lies in the directory for shared images, which is this account's.
  std::optional<uid_t> store_uid{};
};

// The numbers are carme.v1.ImageSource's.
enum class ImageSource {
  kSif = 1,
  kOciArchive = 2,
  kOciDirectory = 3,
  kDefinition = 4,
  kDockerArchive = 5,
};

// The numbers are carme.v1.ImageTask's.
enum class ImageTask { kBuild = 0, kCheck = 1, kStage = 2, kStore = 3 };

// An image to be made, or its file to be read or copied, instead of apps.
struct ImageBuildPlan {
  std::string name;  // for people
  ImageSource source = ImageSource::kSif;
  std::string path;    // absolute, or "~/…"
  std::string output;  // a file's name, of a SIF empty; of a copy its path
  ImageTask task = ImageTask::kBuild;
  std::string sha256{};             // of what is copied
  int64_t size = 0;                 // likewise, in bytes
  std::vector<std::string> keep{};  // names of files that the store keeps
};

// A file or a tree, and what it becomes.
struct StageItem {
  std::string from;
  std::string to;
};

// What a batch job runs, instead of apps: a command for a shell, or a script.
struct BatchPlan {
  std::string command;
  std::string script;  // "/…" or "~/…"
  std::vector<std::string> arguments;
  std::string directory;  // likewise; empty: the home
  std::string output;     // with "%j" and the like; empty: the job's log alone
  std::string error;      // empty: with the output
};

// By these names copying is reported, as if it were an app.
inline constexpr char kStageIn[] = "stage-in";
inline constexpr char kStageOut[] = "stage-out";

struct JobPlan {
  std::vector<AppPlan> apps;  // the job's own first
  EnvironmentPlan environment;
  std::vector<StageItem> stage_in{};   // `to` is in the scratch
  std::vector<StageItem> stage_out{};  // `from` is
  // Then there are no apps.
  std::optional<ImageBuildPlan> build{};
  std::optional<BatchPlan> batch{};  // likewise
  // Carme's id of the job whose nodes this one's join; then there are none
  // either.
  std::string companion_of{};
};

// INVALID_ARGUMENT: a field is missing or not of its form, which only a backend
// of another version sends; the field is named.
absl::StatusOr<JobPlan> CheckJobPlan(
    const carme::v1::RegisterResponse& response);

absl::StatusOr<EnvironmentPlan> CheckEnvironmentPlan(
    const carme::v1::EnvironmentPlan& plan);

// INVALID_ARGUMENT for a field of the backend's answer.
absl::Status WrongField(std::string_view field, std::string_view expected);

// What may stand in an HTTP request line or header as it is.
bool IsPlainText(const std::string& text);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_
