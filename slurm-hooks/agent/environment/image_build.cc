#include "slurm-hooks/agent/environment/image_build.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/crypto/file_digest.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/environment/image_copy.h"
#include "slurm-hooks/agent/environment/image_digest.h"
#include "slurm-hooks/agent/environment/image_recipe.h"
#include "slurm-hooks/agent/environment/messages.h"
#include "slurm-hooks/agent/job/app_logs.h"

namespace carme::agent {
namespace {

constexpr char kOutputFolder[] = "carme-images";
constexpr char kTar[] = "/bin/tar";
// A SIF begins with 32 bytes for a shell, then these.
constexpr off_t kMagicOffset = 32;
constexpr std::string_view kMagic("SIF_MAGIC\0", 10);

absl::Status OpenFailure(int error, const std::string& what) {
  if (error == ELOOP) {
    return MakeError(agent_environment_messages::kImageSourceIsLink,
                     {{"subject", what}});
  }
  return ErrnoError(error, what);
}

absl::Status CheckOwner(const struct stat& info, const std::string& what) {
  if (info.st_uid == getuid()) return absl::OkStatus();
  return MakeError(
      agent_environment_messages::kImageSourceOwner,
      {{"subject", what}, {"owner", info.st_uid}, {"uid", getuid()}});
}

bool IsSame(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec &&
         a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

// The prefix of the source for Apptainer.
std::string SourceReference(v1::ImageSource source, const std::string& path) {
  switch (source) {
    case v1::IMAGE_SOURCE_OCI_ARCHIVE:
      return absl::StrCat("oci-archive:", path);
    case v1::IMAGE_SOURCE_OCI_DIRECTORY:
      return absl::StrCat("oci:", path);
    case v1::IMAGE_SOURCE_DOCKER_ARCHIVE:
      return absl::StrCat("docker-archive:", path);
    default:
      return path;
  }
}

// A directory that others may read, as far as the home directory permits:
// shared images are read from it.
absl::Status MakeOutputFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0755) == 0) {
    chmod(folder.c_str(), 0755);  // independent of the umask
    return absl::OkStatus();
  }
  const int error = errno;
  struct stat info {};
  if (error == EEXIST && lstat(folder.c_str(), &info) == 0 &&
      S_ISDIR(info.st_mode) && info.st_uid == getuid()) {
    return absl::OkStatus();
  }
  return MakeError(
      agent_environment_messages::kImageFolderUnusable,
      {{"folder", folder}, {"cause", ErrnoError(error, "make it").message()}});
}

}  // namespace

bool IsSif(int fd) {
  char found[kMagic.size()];
  return pread(fd, found, sizeof found, kMagicOffset) ==
             static_cast<ssize_t>(sizeof found) &&
         std::string_view(found, sizeof found) == kMagic;
}

absl::StatusOr<ImageFileInfo> MeasureImage(const std::string& path) {
  const std::string what = absl::StrCat("image \"", path, "\"");
  // O_NONBLOCK: does not wait for the writer of a FIFO.
  const UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat before {};
  if (!fd.valid() || fstat(fd.get(), &before) != 0) {
    return OpenFailure(errno, what);
  }
  RETURN_IF_ERROR(CheckOwner(before, what));
  if (!S_ISREG(before.st_mode) || !IsSif(fd.get())) {
    return MakeError(agent_environment_messages::kNotSif, {{"subject", what}});
  }
  ASSIGN_OR_RETURN(std::string sha256, Sha256OfFile(fd.get()));
  struct stat after {};
  if (fstat(fd.get(), &after) != 0) return ErrnoError(errno, what);
  if (!IsSame(before, after)) {
    return MakeError(agent_environment_messages::kImageChangedWhileRead,
                     {{"subject", what}});
  }
  return ImageFileInfo{
      .path = path, .sha256 = std::move(sha256), .size_bytes = before.st_size};
}

absl::StatusOr<std::string> FindImageSource(const ImageBuildPlan& plan,
                                            const std::string& home) {
  const std::string path = plan.path.starts_with("~/")
                               ? absl::StrCat(home, plan.path.substr(1))
                               : plan.path;
  const std::string what = absl::StrCat("\"", path, "\"");
  const UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return OpenFailure(errno, what);
  }
  RETURN_IF_ERROR(CheckOwner(info, what));
  const bool wants_directory = plan.source == v1::IMAGE_SOURCE_OCI_DIRECTORY;
  if (wants_directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode)) {
    return MakeError(wants_directory
                         ? agent_environment_messages::kSourceNotADirectory
                         : agent_environment_messages::kSourceNotAFile,
                     {{"subject", what}});
  }
  return path;
}

ImageBuild::ImageBuild(net::EventLoop& loop, JobFacts facts,
                       ImageBuildPlan plan, Done done)
    : loop_(loop),
      facts_(std::move(facts)),
      plan_(std::move(plan)),
      done_(std::move(done)) {}

ImageBuild::~ImageBuild() {
  if (child_.has_value()) child_->Signal(SIGKILL);
  if (measuring_.joinable()) measuring_.join();
  if (!part_.empty()) unlink(part_.c_str());
}

void ImageBuild::Begin() {
  const absl::Status started = Start();
  if (!started.ok()) End(started);
}

absl::Status ImageBuild::Start() {
  switch (plan_.task) {
    case v1::IMAGE_TASK_CHECK:
      Run([path = plan_.path] { return CheckSiteImage(path); });
      return absl::OkStatus();
    case v1::IMAGE_TASK_STAGE:
      Run([plan = plan_] { return StageImage(plan); });
      return absl::OkStatus();
    case v1::IMAGE_TASK_STORE:
      Run([plan = plan_] { return StoreImage(plan, absl::Now()); });
      return absl::OkStatus();
    default:
      break;  // makes the image
  }
  if (plan_.recipe.has_value()) return StartRecipe();
  ASSIGN_OR_RETURN(const std::string source,
                   FindImageSource(plan_, facts_.account.home));
  if (plan_.source == v1::IMAGE_SOURCE_SIF) {
    Run([source] { return MeasureImage(source); });
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckNode());
  source_ = source;
  if (plan_.source == v1::IMAGE_SOURCE_OCI_ARCHIVE) return Unpack();
  return StartApptainer(SourceReference(plan_.source, source));
}

absl::Status ImageBuild::StartRecipe() {
  RETURN_IF_ERROR(CheckNode());
  // Reads the whole base. The cache has room in the scratch of this job only.
  measuring_ = std::thread([this] {
    const absl::Status checked =
        CheckImageDigest(plan_.recipe->base_path(), plan_.recipe->base_sha256(),
                         absl::StrCat(facts_.environment.scratch, "/digests"));
    loop_.Post([this, checked] { OnBaseChecked(checked); });
  });
  return absl::OkStatus();
}

void ImageBuild::OnBaseChecked(const absl::Status& checked) {
  measuring_.join();
  const absl::Status started = checked.ok() ? UnpackBase() : checked;
  if (!started.ok()) End(started);
}

// As the user, without a user namespace: files of other users of the image
// become the user's. In the namespace of the build, which may have this user
// only, Apptainer would fail to give them away.
absl::Status ImageBuild::UnpackBase() {
  const std::string directory =
      absl::StrCat(facts_.environment.scratch, "/recipe");
  ASSIGN_OR_RETURN(source_, WriteRecipe(*plan_.recipe, directory));
  return RunApptainer({"--sandbox", absl::StrCat(directory, "/", kRecipeBase),
                       plan_.recipe->base_path()},
                      directory);
}

absl::Status ImageBuild::CheckNode() const {
  if (!facts_.environment.apptainer.empty() &&
      !facts_.environment.scratch.empty()) {
    return absl::OkStatus();
  }
  return MakeError(agent_environment_messages::kCannotBuildImages);
}

// Apptainer rejects the entries "./" that tar writes for a directory, and does
// not know `docker save` archives under this name.
absl::Status ImageBuild::Unpack() {
  unpacked_ = absl::StrCat(facts_.environment.scratch, "/oci");
  if (mkdir(unpacked_.c_str(), 0700) != 0) {
    return ErrnoError(errno, absl::StrCat("make \"", unpacked_, "\""));
  }
  ASSIGN_OR_RETURN(
      child_, node::ChildProcess::Start(
                  {.arguments = {kTar, "-x", "--no-same-owner", "-C", unpacked_,
                                 "-f", source_},
                   .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
                   .directory = unpacked_,
                   .umask = 077}));
  LogInfo("unpacking an archive", {{"source", source_}});
  return absl::OkStatus();
}

// The kind of the unpacked archive.
std::string ImageBuild::Unpacked() const {
  const auto has = [&](const char* name) {
    return access(absl::StrCat(unpacked_, "/", name).c_str(), R_OK) == 0;
  };
  if (has("oci-layout") || !has("manifest.json")) {
    return SourceReference(v1::IMAGE_SOURCE_OCI_DIRECTORY, unpacked_);
  }
  // Apptainer unpacks it again, into the same scratch directory.
  std::error_code ignored;
  std::filesystem::remove_all(unpacked_, ignored);
  return SourceReference(v1::IMAGE_SOURCE_DOCKER_ARCHIVE, source_);
}

// `source` in the syntax of Apptainer.
absl::Status ImageBuild::StartApptainer(const std::string& source) {
  const std::string folder =
      absl::StrCat(facts_.account.home, "/", kOutputFolder);
  RETURN_IF_ERROR(MakeOutputFolder(folder));
  target_ = absl::StrCat(folder, "/", plan_.output);
  part_ = absl::StrCat(folder, "/.", plan_.output, ".", getpid(), ".part");
  // %post runs as root of a user namespace: with the ids of /etc/subuid, or
  // else with the user's id only, and then without the node's fakeroot, which
  // does not match the image's C library.
  RETURN_IF_ERROR(RunApptainer({"--ignore-fakeroot-command", part_, source},
                               source_.substr(0, source_.rfind('/') + 1)));
  LogInfo("building an image",
          {{"image", plan_.name}, {"source", source}, {"target", target_}});
  return absl::OkStatus();
}

absl::Status ImageBuild::RunApptainer(const std::vector<std::string>& arguments,
                                      const std::string& directory) {
  EnvironmentPlan runtime;
  runtime.runtime = v1::RUNTIME_APPTAINER;
  std::vector<std::string> environment = RuntimeEnvironment(
      runtime, facts_.variables, facts_.account, facts_.environment.directory);
  for (const char* name : {"APPTAINER_TMPDIR", "APPTAINER_CACHEDIR"}) {
    environment.push_back(absl::StrCat(name, "=", facts_.environment.scratch));
  }
  std::vector<std::string> command = {facts_.environment.apptainer, "--nocolor",
                                      "build", "--force"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(child_,
                   node::ChildProcess::Start({.arguments = command,
                                              .environment = environment,
                                              .directory = directory,
                                              .umask = 022}));
  return absl::OkStatus();
}

void ImageBuild::OnChild() {
  if (!child_.has_value()) return;
  const std::optional<node::ProcessEnd> end = child_->TakeEnd();
  if (!end.has_value()) return;
  child_.reset();
  if (end->exit_code != 0) {
    return End(MakeError(
        agent_environment_messages::kBuildFailed,
        {{"program",
          unpacked_.empty() || !part_.empty() ? "apptainer build" : "tar"},
         {"exit_code", end->exit_code},
         {"cause",
          ReadLastCause("", STDERR_FILENO, facts_.environment.scratch)}}));
  }
  if (part_.empty()) {  // the archive or the base is unpacked
    const absl::Status started =
        StartApptainer(plan_.recipe.has_value() ? source_ : Unpacked());
    if (!started.ok()) End(started);
    return;
  }
  if (rename(part_.c_str(), target_.c_str()) != 0) {
    return End(ErrnoError(errno, absl::StrCat("make \"", target_, "\"")));
  }
  part_.clear();
  Run([path = target_] { return MeasureImage(path); });
}

void ImageBuild::Run(std::function<absl::StatusOr<ImageFileInfo>()> work) {
  measuring_ = std::thread([this, work = std::move(work)] {
    absl::StatusOr<ImageFileInfo> made = work();
    loop_.Post([this, made = std::move(made)] { End(made); });
  });
}

void ImageBuild::End(absl::StatusOr<ImageFileInfo> made) {
  if (!done_) return;
  std::exchange(done_, nullptr)(std::move(made));
}

}  // namespace carme::agent
