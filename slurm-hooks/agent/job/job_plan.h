// What the backend wants to run in a job: its environment and its apps. Plain
// values, validated before use.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "carme/v1/image.pb.h"
#include "carme/v1/image_recipe.pb.h"

namespace carme::agent {

using Variables = std::map<std::string, std::string>;

struct AppPlan {
  std::string id;
  std::vector<std::string> command;  // placeholders not replaced yet
  std::string ready_path;            // begins with "/"
  std::string public_host;           // host[:port]
  std::string base_path = "/";       // begins and ends with "/"
  Variables environment;
  // An executable that the app requires: absolute, or relative to the user's
  // home. Empty: none.
  std::string requires_file{};
};

struct Bind {
  std::string source;
  std::string target;
  bool read_only = false;
};

struct EnvironmentPlan {
  v1::Runtime runtime = v1::RUNTIME_NONE;
  std::string image;   // Apptainer only: absolute
  std::string sha256;  // of the image; may be empty for an EDF
  std::string name;    // display name of the image or environment
  // EDF only: exactly one of them is set. A path begins with "/" or "~/".
  std::string edf{};  // rendered
  std::string edf_path{};
  std::vector<Bind> binds;
  Variables environment;
  std::string message;  // serialized as received, for the job's other nodes
  // The image belongs to another user: it is copied before it is checked.
  bool image_is_anothers = false;
  int64_t image_size = 0;  // in bytes; limit of the copy
  // Set if the image is in the directory for shared images, which this account
  // owns.
  std::optional<uid_t> store_uid{};
};

// An image to build, or an image file to check or copy, instead of apps.
struct ImageBuildPlan {
  std::string name;  // display name
  v1::ImageSource source = v1::IMAGE_SOURCE_SIF;
  std::string path;    // absolute, or "~/…"; empty with a recipe
  std::string output;  // file name; empty for a SIF; the path of a copy
  v1::ImageTask task = v1::IMAGE_TASK_UNSPECIFIED;  // makes the image
  std::string sha256{};                             // of the file to copy
  int64_t size = 0;                 // of the file to copy, in bytes
  std::vector<std::string> keep{};  // file names that the store retains
  // What the image is built from, instead of a file of the user.
  std::optional<v1::ImageRecipePlan> recipe{};
};

// A file or tree and its destination.
struct StagingItem {
  std::string from;
  std::string to;
};

// The program of a batch job, which has no apps: a shell command or a script.
struct BatchPlan {
  std::string command;
  std::string script;  // "/…" or "~/…"
  std::vector<std::string> arguments;
  std::string directory;  // "/…" or "~/…"; empty: the home directory
  std::string output;     // with "%j" and similar; empty: the job's log only
  std::string error;      // empty: same file as the output
};

// Where samples of the job are sent, and how often they are taken.
struct MetricsPlan {
  std::vector<std::string> servers;  // host:port; not empty
  std::string ca_pem;
  std::string server_name;
  absl::Duration interval;
  absl::Duration gpu_interval;
};

// Copying is reported under these names, as if it were an app.
inline constexpr char kStageIn[] = "stage-in";
inline constexpr char kStageOut[] = "stage-out";
// The same for the vetting of the job's nodes.
inline constexpr char kVetting[] = "vetting";

struct JobPlan {
  std::vector<AppPlan> apps;  // the app that the job was started for is first
  EnvironmentPlan environment;
  std::vector<StagingItem> stage_in{};  // `to` is below the scratch directory
  std::vector<StagingItem>
      stage_out{};  // `from` is below the scratch directory
  // If set, there are no apps.
  std::optional<ImageBuildPlan> build{};
  std::optional<BatchPlan> batch{};  // if set, there are no apps
  // Carme's id of the job that this job is linked to; if set, there are no
  // apps.
  std::string linked_to{};
  std::optional<MetricsPlan> metrics{};  // absent: nothing is sampled
  uint32_t required_nodes = 0;  // healthy ones; 0: nodes are not vetted
};

// Validates the response. INVALID_ARGUMENT: a field is missing or malformed,
// which only a backend of another version sends; the message names the field.
absl::StatusOr<JobPlan> CheckJobPlan(
    const carme::v1::RegisterResponse& response);

// nullopt: an interval or a server is missing or out of range. Then the job
// runs without samples.
std::optional<MetricsPlan> ReadMetricsPlan(const carme::v1::MetricsPlan& plan);
// nullopt: out of the range of agent.proto.
std::optional<absl::Duration> ReadSamplingInterval(uint32_t interval_ms);

absl::StatusOr<EnvironmentPlan> CheckEnvironmentPlan(
    const carme::v1::EnvironmentPlan& plan);

// INVALID_ARGUMENT for a field of the backend's response.
absl::Status WrongField(std::string_view field, std::string_view expected);

// Returns whether `text` is safe in an HTTP request line or header.
bool IsPlainText(const std::string& text);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_JOB_PLAN_H_
