#include "backend/images/image_proto.h"

#include "backend/identity/role_proto.h"
#include "backend/images/messages.h"
#include "carme/v1/image.pb.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::StatusOr<Role> FromMessage(int role) {
  for (const Role known :
       {Role::kUser, Role::kManager, Role::kSupport, Role::kAdmin}) {
    if (ToProto(known) == role) return known;
  }
  return MakeError(image_messages::kUnknownRole);
}

void FillSettings(const ImageRecord& record, v1::ImageSettings* settings) {
  const Image& image = record.image;
  settings->set_description(image.description);
  *settings->mutable_apps() = {image.apps.begin(), image.apps.end()};
  for (const ImageMount& mount : image.mounts) {
    v1::ImageMount* row = settings->add_mounts();
    row->set_source(mount.source);
    row->set_target(mount.target);
    row->set_read_only(mount.read_only);
  }
  settings->mutable_environment()->insert(image.environment.begin(),
                                          image.environment.end());
  settings->set_driver(image.driver);
  settings->set_cuda(image.cuda);
  *settings->mutable_groups() = {record.groups.begin(), record.groups.end()};
  for (const Role role : record.roles) settings->add_roles(ToProto(role));
  *settings->mutable_projects() = {record.projects.begin(),
                                   record.projects.end()};
}

void FillShares(const ImageRecord& record, v1::Image* message) {
  for (const ImageShare& share : record.shares) {
    v1::ImageShare* row = message->add_shares();
    row->set_group(share.target.group);
    row->set_project(share.target.project);
    row->set_approved_by(share.approved_by);
  }
}

void FillCopy(const ImageCopy& copy, v1::Image* message) {
  if (copy.state == v1::IMAGE_COPY_STATE_UNSPECIFIED) return;
  v1::ImageCopy* row = message->mutable_copy();
  row->set_state(copy.state);
  row->set_job(copy.job.value());
  row->set_problem(copy.problem);
  row->set_path(copy.path);
  row->set_uid(copy.uid.value());
}

void FillCheck(const ImageCheck& check, v1::Image* message) {
  if (!check.pending && check.checked_at == absl::InfinitePast()) return;
  v1::ImageCheck* row = message->mutable_check();
  row->set_job(check.job.value());
  row->set_problem(check.problem);
  if (check.checked_at != absl::InfinitePast()) {
    row->mutable_checked_at()->set_seconds(
        absl::ToUnixSeconds(check.checked_at));
  }
}

}  // namespace

void Fill(const ImageBuildStatus& build, v1::ImageBuildStatus* message) {
  message->set_step(build.step);
  message->set_steps(build.steps);
  if (build.percent) message->set_percent(*build.percent);
  message->set_message(build.message);
  if (build.started_at != absl::InfinitePast()) {
    message->mutable_started_at()->set_seconds(
        absl::ToUnixSeconds(build.started_at));
  }
}

void Fill(const ImageRecord& record, v1::Image* message) {
  message->set_id(record.image.id);
  message->set_state(record.state);
  message->set_owner(record.image.owner);
  message->set_fixed(record.fixed);
  message->set_path(record.image.path);
  message->set_sha256(record.image.sha256);
  message->set_size_bytes(record.size_bytes);
  if (!record.fixed) {
    message->mutable_created_at()->set_seconds(
        absl::ToUnixSeconds(record.created_at));
  }
  FillSettings(record, message->mutable_settings());
  FillShares(record, message);
  FillCopy(record.copy, message);
  // Before the copy is ready, its path is where the next job looks for it.
  if (message->has_copy() && record.copy.state != v1::IMAGE_COPY_STATE_READY) {
    message->mutable_copy()->clear_path();
    message->mutable_copy()->clear_uid();
  }
  FillCheck(record.check, message);
  if (record.build) Fill(*record.build, message->mutable_build());
  message->set_problem(record.problem);
  message->set_build_job(record.build_job.value());
}

absl::Status Apply(const v1::ImageSettings& settings, ImageRecord* record) {
  Image& image = record->image;
  record->roles.clear();
  for (const int role : settings.roles()) {
    ASSIGN_OR_RETURN(const Role known, FromMessage(role));
    record->roles.push_back(known);
  }
  record->groups = {settings.groups().begin(), settings.groups().end()};
  record->projects = {settings.projects().begin(), settings.projects().end()};
  image.description = settings.description();
  image.apps = {settings.apps().begin(), settings.apps().end()};
  image.mounts.clear();
  for (const v1::ImageMount& mount : settings.mounts()) {
    const std::string& target =
        mount.target().empty() ? mount.source() : mount.target();
    image.mounts.push_back({mount.source(), target, mount.read_only()});
  }
  image.environment = {settings.environment().begin(),
                       settings.environment().end()};
  image.driver = settings.driver();
  image.cuda = settings.cuda();
  return absl::OkStatus();
}

std::string SerializeShares(const ImageRecord& record) {
  v1::Image message;
  FillShares(record, &message);
  FillCopy(record.copy, &message);
  FillCheck(record.check, &message);
  return message.SerializeAsString();
}

absl::Status ParseRecipe(std::string_view bytes, ImageRecord* record) {
  if (record->recipe.ParseFromArray(bytes.data(),
                                    static_cast<int>(bytes.size()))) {
    return absl::OkStatus();
  }
  return absl::InternalError("an image's recipe cannot be read");
}

absl::Status ParseShares(std::string_view bytes, ImageRecord* record) {
  v1::Image message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("an image's shares cannot be read");
  }
  for (const v1::ImageShare& share : message.shares()) {
    record->shares.push_back(
        {{share.group(), share.project()}, share.approved_by()});
  }
  const v1::ImageCopy& copy = message.copy();
  record->copy = {.state = copy.state(),
                  .job = JobId(copy.job()),
                  .problem = copy.problem(),
                  .path = copy.path(),
                  .uid = Uid(copy.uid())};
  const v1::ImageCheck& check = message.check();
  record->check.pending = !check.job().empty();
  record->check.job = JobId(check.job());
  record->check.problem = check.problem();
  if (check.has_checked_at()) {
    record->check.checked_at =
        absl::FromUnixSeconds(check.checked_at().seconds());
  }
  return absl::OkStatus();
}

std::string SerializeSettings(const ImageRecord& record) {
  v1::ImageSettings settings;
  FillSettings(record, &settings);
  return settings.SerializeAsString();
}

absl::Status ParseSettings(std::string_view bytes, ImageRecord* record) {
  v1::ImageSettings settings;
  if (!settings.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("an image in the table cannot be read");
  }
  return Apply(settings, record);
}

}  // namespace carme::backend
