#include "backend/environments/environments.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/environments/environment_files.h"
#include "backend/environments/environment_name.h"
#include "backend/environments/messages.h"
#include "common/edf/text.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Concurrent checks: each uses bounded resources, but together they could
// occupy all threads.
constexpr int kMaxRenderings = 8;
constexpr int kMaxRenderingsPerUser = 2;

absl::Status TooManyRenderings() {
  return MakeError(environment_messages::kTooManyChecks);
}

absl::Status CheckText(const std::string& text) {
  if (text.size() <= kMaxEnvironmentBytes) return absl::OkStatus();
  return MakeError(environment_messages::kTextTooLong,
                   {{"bytes", text.size()}, {"max", kMaxEnvironmentBytes}});
}

std::string FileOf(const std::string& name) {
  return absl::StrCat(kOwnEnvironments, "/", name, ".toml");
}

// Recursive: the values of a text are texts.
DisplayText WithoutOwnDirectory(DisplayText text) {
  const std::string directory = absl::StrCat("\"", kOwnEnvironments, "\"");
  DisplayText place = MakeText(environment_messages::kOwnPlace);
  if (text.text == directory) return place;
  absl::StrReplaceAll({{directory, place.text},
                       {absl::StrCat("\"", kOwnEnvironments, "/"), "\""}},
                      &text.text);
  for (DisplayParameter& each : text.parameters) {
    each.value = WithoutOwnDirectory(std::move(each.value));
  }
  return text;
}

// Problems with the file names that the page shows: environments of the page
// without their directory, and an empty name for the text itself.
EdfProblems Named(const EdfProblems& problems, const std::string& own_file) {
  EdfProblems named;
  for (EdfProblem problem : problems.list()) {
    std::string& file = problem.place.file;
    if (file == own_file) {
      file.clear();
    } else if (file.starts_with(absl::StrCat(kOwnEnvironments, "/"))) {
      file.erase(0, std::string_view(kOwnEnvironments).size() + 1);
    }
    named.Add(problem.number, std::move(problem.place),
              WithoutOwnDirectory(std::move(problem.text)));
  }
  return named;
}

// The first problem, for one line of a form.
std::string InShort(const EdfProblems& problems) {
  if (problems.empty()) return "";
  const std::string first = ToString(problems.list()[0]);
  if (problems.size() == 1) return first;
  return FormatMessage(environment_messages::kMoreProblems,
                       {{"problem", first}, {"problems", problems.size() - 1}});
}

// A name without a version means the first image of that name.
std::vector<Image>::const_iterator FindImage(const std::vector<Image>& images,
                                             const EdfImage& wanted) {
  const std::string id = absl::StrCat(wanted.name, ":", wanted.tag);
  return std::find_if(images.begin(), images.end(), [&](const Image& image) {
    return wanted.tag.empty() ? image.id.starts_with(id) : image.id == id;
  });
}

void CheckRendered(EdfResult* result) {
  if (!result->edf) return;
  const size_t bytes = EdfToToml(*result->edf).size();
  if (bytes <= kMaxRenderedBytes) return;
  result->problems.Add(
      EdfNumber::kLimit, {},
      MakeText(environment_messages::kRenderedTooLong,
               {{"bytes", bytes}, {"max", kMaxRenderedBytes}}));
  result->edf.reset();
}

}  // namespace

Environments::Environments(const Parts& parts, const EnvironmentsConfig& config)
    : parts_(parts),
      config_(config),
      store_(parts.database),
      renderings_(kMaxRenderings, kMaxRenderingsPerUser) {}

absl::StatusOr<std::vector<StoredEnvironment>> Environments::List(
    const Session& caller) {
  return store_.List(caller.uid);
}

std::vector<std::string> Environments::ListSites() const {
  return SiteEnvironments(config_.system_directories);
}

absl::StatusOr<StoredEnvironment> Environments::Find(const Session& caller,
                                                     const std::string& name) {
  return store_.Find(caller.uid, name);
}

absl::StatusOr<std::string> Environments::FindSites(
    const std::string& name) const {
  if (!IsEnvironmentName(name)) {
    return MakeError(environment_messages::kNotOfSite);
  }
  return ReadSiteEnvironment(config_.system_directories, name);
}

absl::StatusOr<StoredEnvironment> Environments::Save(const Session& caller,
                                                     const std::string& name,
                                                     const std::string& text,
                                                     int64_t revision) {
  if (!offered()) return MakeError(environment_messages::kNotOffered);
  RETURN_IF_ERROR(CheckEnvironmentName(name));
  RETURN_IF_ERROR(CheckText(text));
  return store_.Save(caller.uid, name, text, revision, parts_.clock->Now(),
                     kMaxEnvironments);
}

absl::Status Environments::Delete(const Session& caller,
                                  const std::string& name) {
  return store_.Delete(caller.uid, name);
}

absl::StatusOr<EdfContext> Environments::ContextOf(const Session& caller) {
  EdfContext context;
  context.files =
      EnvironmentFiles(&store_, caller.uid, config_.system_directories);
  context.system_directories = config_.system_directories;
  context.cwd = "/";
  for (const auto& [name, value] : config_.variables) {
    context.variables[name] =
        absl::StrReplaceAll(value, {{"{user}", caller.username}});
  }
  context.variables["USER"] = context.variables["LOGNAME"] = caller.username;
  context.variables["EDF_PATH"] = kOwnEnvironments;
  const absl::StatusOr<std::string> home =
      parts_.homes->HomeOf(caller.username);
  if (home.ok()) {
    context.variables["HOME"] = context.cwd = *home;
  } else if (!absl::IsNotFound(home.status())) {
    return MakeError(environment_messages::kHomeUnavailable);
  }
  return context;
}

absl::StatusOr<EdfResult> Environments::Render(const Session& caller,
                                               const std::string& text,
                                               const std::string& name) {
  if (!offered()) return MakeError(environment_messages::kNotOffered);
  RETURN_IF_ERROR(CheckText(text));
  const auto slot = renderings_.TryAcquire(caller.uid);
  if (!slot.acquired()) return TooManyRenderings();
  ASSIGN_OR_RETURN(const EdfContext context, ContextOf(caller));
  const std::string file = FileOf(IsEnvironmentName(name) ? name : "");
  EdfResult result = RenderEdfText(text, file, context);
  CheckRendered(&result);
  result.path.clear();
  result.problems = Named(result.problems, file);
  result.warnings = Named(result.warnings, file);
  return result;
}

absl::StatusOr<EnvironmentFormResult> Environments::ReadForm(
    const Session& caller, const std::string& text) {
  if (!offered()) return MakeError(environment_messages::kNotOffered);
  RETURN_IF_ERROR(CheckText(text));
  const auto slot = renderings_.TryAcquire(caller.uid);
  if (!slot.acquired()) return TooManyRenderings();
  EnvironmentFormResult result;
  result.form = ReadEnvironmentForm(text, &result.problems);
  result.text = text;
  return result;
}

absl::StatusOr<EnvironmentFormResult> Environments::WriteForm(
    const Session& caller, const std::string& text,
    const v1::EnvironmentForm& before, const v1::EnvironmentForm& after) {
  if (!offered()) return MakeError(environment_messages::kNotOffered);
  RETURN_IF_ERROR(CheckText(text));
  const auto slot = renderings_.TryAcquire(caller.uid);
  if (!slot.acquired()) return TooManyRenderings();
  EnvironmentFormResult result;
  std::optional<std::string> written =
      WriteEnvironmentForm(text, before, after, &result.problems);
  if (!written) return result;
  RETURN_IF_ERROR(CheckText(*written));
  result.form = ReadEnvironmentForm(*written, &result.problems);
  result.text = *std::move(written);
  return result;
}

absl::StatusOr<RenderedEnvironment> Environments::Resolve(
    const Session& caller, const std::string& environment) {
  if (!offered()) return MakeError(environment_messages::kNotOfferedToJobs);
  if (IsEnvironmentPath(environment)) {
    RETURN_IF_ERROR(CheckEnvironmentPath(environment));
    return RenderedEnvironment();
  }
  RETURN_IF_ERROR(CheckEnvironmentName(environment));
  const auto slot = renderings_.TryAcquire(caller.uid);
  if (!slot.acquired()) return TooManyRenderings();
  ASSIGN_OR_RETURN(const EdfContext context, ContextOf(caller));
  EdfResult result = RenderEdf(environment, context);
  CheckRendered(&result);
  const absl::StatusOr<RenderedEnvironment> pinned =
      result.edf
          ? Pin(caller, *std::move(result.edf))
          : MakeError(
                environment_messages::kInvalid,
                {{"problem", InShort(Named(result.problems, result.path))}});
  if (pinned.ok()) return pinned;
  return MakeError(environment_messages::kNotUsable,
                   {{"environment", Quoted(environment)},
                    {"cause", pinned.status().message()}});
}

// Replaces an image of the store by the file that it is now.
absl::StatusOr<RenderedEnvironment> Environments::Pin(const Session& caller,
                                                      Edf edf) const {
  RenderedEnvironment pinned;
  if (edf.image.kind == EdfImage::Kind::kStore) {
    const std::vector<Image> images = parts_.images->UsableBy(PersonOf(caller));
    const auto image = FindImage(images, edf.image);
    if (image == images.end()) {
      return MakeError(environment_messages::kImageNotUsable,
                       {{"image", Quoted(ImageText(edf.image))}});
    }
    pinned.image = image->id;
    pinned.image_sha256 = image->sha256;
    edf.image = EdfImage{.kind = EdfImage::Kind::kPath,
                         .path = image->path,
                         .user = {},
                         .registry = {},
                         .name = {},
                         .tag = {},
                         .digest = {}};
  }
  pinned.rendered = EdfToToml(edf);
  return pinned;
}

}  // namespace carme::backend
