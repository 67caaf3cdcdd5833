#include "backend/images/image_catalogue.h"

#include <algorithm>
#include <utility>

#include "backend/images/messages.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxImages = 2000;
// The time after which the submission of a job that makes an image has failed.
constexpr absl::Duration kLongestSubmission = absl::Minutes(10);

bool Shares(const std::vector<std::string>& some,
            const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& one) {
    return std::find(others.begin(), others.end(), one) != others.end();
  });
}

bool IsForSome(const ImageRecord& record) {
  return !record.groups.empty() || !record.roles.empty() ||
         !record.projects.empty();
}

bool HasProjects(const ImageRecord& record) {
  return !record.projects.empty() || HasProjectShares(record);
}

bool IsOwnOf(const ImageRecord& record, Uid uid) {
  return !record.image.owner.empty() && record.image.owner_uid == uid;
}

bool IsFor(const ImageRecord& record, const ImageUser& user) {
  const Person& person = user.person;
  if (!record.image.owner.empty()) {
    return IsOwnOf(record, person.uid) || IsSharedWith(record, user);
  }
  return !IsForSome(record) || Shares(record.groups, person.groups) ||
         IsForProjectOf(record, user) ||
         std::find(record.roles.begin(), record.roles.end(), person.role) !=
             record.roles.end();
}

bool MayRun(const ImageRecord& record) {
  return record.state == v1::IMAGE_STATE_ACTIVE ||
         record.state == v1::IMAGE_STATE_DEPRECATED;
}

// The order in lists: images of backend.toml, of the site, of users; deprecated
// images; the node's own system.
int RankOf(const ImageRecord& record) {
  if (record.image.id == kNoImage) return 4;
  if (record.state != v1::IMAGE_STATE_ACTIVE) return 3;
  if (record.fixed) return 0;
  return record.image.owner.empty() ? 1 : 2;
}

constexpr absl::Duration kBuildReadInterval = absl::Seconds(1);

// Takes the state from the status file of an image that is not complete.
void ApplyBuild(const absl::StatusOr<ImageBuildStatus>& build,
                ImageRecord* record) {
  const std::string last_problem = record->problem;
  record->build.reset();
  record->state = v1::IMAGE_STATE_FAILED;
  Image& image = record->image;
  if (build.ok()) {
    record->build = *build;
    if (build->state == ImageBuildStatus::State::kReady &&
        image.sha256.empty()) {
      image.sha256 = build->sha256;
    }
  }
  if (absl::IsNotFound(build.status())) {
    record->problem = image.sha256.empty()
                          ? FormatMessage(image_messages::kBuildNotStarted)
                          : "";
  } else if (!build.ok()) {
    record->problem = FormatMessage(image_messages::kBuildStatusUnreadable);
  } else if (build->state == ImageBuildStatus::State::kFailed) {
    record->problem = build->message.empty()
                          ? FormatMessage(image_messages::kBuildFailed)
                          : build->message;
  } else if (build->state == ImageBuildStatus::State::kBuilding) {
    record->problem.clear();
    record->state = v1::IMAGE_STATE_BUILDING;
    return;
  } else {
    record->problem = image.sha256.empty()
                          ? FormatMessage(image_messages::kBuildWithoutDigest)
                          : "";
  }
  if (record->problem.empty()) {
    record->state = v1::IMAGE_STATE_ACTIVE;
    record->build.reset();
  } else if (record->problem != last_problem) {
    LogWarning(
        "image of backend.toml is not usable",
        {{"image", image.id},
         {"error", build.ok() ? record->problem : StatusText(build.status())}});
  }
}

bool IsCopying(const ImageRecord& record) {
  return record.copy.state == v1::IMAGE_COPY_STATE_STAGING ||
         record.copy.state == v1::IMAGE_COPY_STATE_STORING;
}

Image ToRun(const ImageRecord& record) {
  Image image = record.image;
  image.deprecated = record.state == v1::IMAGE_STATE_DEPRECATED;
  image.size_bytes = record.size_bytes;
  return image;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ImageCatalogue>> ImageCatalogue::Open(
    const Parts& parts, const std::vector<Image>& fixed, bool needs_copies) {
  std::unique_ptr<ImageCatalogue> catalogue(
      new ImageCatalogue(parts, needs_copies));
  {
    absl::MutexLock lock(&catalogue->fixed_mutex_);
    for (const Image& image : fixed) {
      catalogue->fixed_.push_back({.image = image, .fixed = true});
    }
  }
  ASSIGN_OR_RETURN(const std::vector<ImageRecord> added,
                   catalogue->table_.Read());
  absl::MutexLock lock(&catalogue->mutex_);
  for (const ImageRecord& record : added) {
    const std::string& id = record.image.id;
    const bool taken =
        std::any_of(fixed.begin(), fixed.end(),
                    [&](const Image& image) { return image.id == id; });
    if (taken) {
      LogWarning(
          "image is in backend.toml and in the database, using backend.toml",
          {{"image", id}});
      continue;
    }
    catalogue->added_[id] = record;
  }
  return catalogue;
}

// Why the user cannot start a job in an image that is shared with them;
// nullptr: they can.
const ErrorTemplate* ImageCatalogue::ProblemOf(const ImageRecord& record,
                                               Uid uid) const {
  switch (record.state) {
    case v1::IMAGE_STATE_BUILDING:
      return record.fixed ? &image_messages::kBeingBuilt
                          : &image_messages::kNotMadeYet;
    case v1::IMAGE_STATE_FAILED:
      return &image_messages::kNotMade;
    case v1::IMAGE_STATE_WITHDRAWN:
      return &image_messages::kWithdrawn;
    default:  // active or deprecated
      break;
  }
  if (!needs_copies_ || record.image.owner.empty() || IsOwnOf(record, uid)) {
    return nullptr;
  }
  switch (record.copy.state) {
    case v1::IMAGE_COPY_STATE_READY:
      return nullptr;
    case v1::IMAGE_COPY_STATE_STAGING:
    case v1::IMAGE_COPY_STATE_STORING:
      return &image_messages::kBeingCopied;
    default:
      break;
  }
  return &image_messages::kNotCopied;
}

// The owner's jobs run in the owner's file, those of others in the copy.
absl::StatusOr<Image> ImageCatalogue::ToRunFor(const ImageRecord& record,
                                               Uid uid) const {
  if (const ErrorTemplate* const problem = ProblemOf(record, uid)) {
    return MakeError(*problem, {{"image", record.image.id}});
  }
  Image image = ToRun(record);
  if (needs_copies_ && !image.owner.empty() && !IsOwnOf(record, uid)) {
    image.path = record.copy.path;
    image.store_uid = record.copy.uid;
  }
  return image;
}

DisplayText ImageCatalogue::WhyNot(const Person& person,
                                   const std::string& id) {
  for (const ImageRecord& record : All()) {
    if (record.image.id != id) continue;
    const ImageUser user = FindImageUser(person, {record});
    if (!IsFor(record, user)) return {};
    const ErrorTemplate* const problem = ProblemOf(record, person.uid);
    if (problem == nullptr) return {};
    return TextOfStatus(MakeError(*problem, {{"image", id}}));
  }
  return {};
}

std::vector<ImageRecord> ImageCatalogue::CopiesToSubmit() const {
  std::vector<ImageRecord> waiting = All();
  std::erase_if(waiting, [](const ImageRecord& record) {
    return record.copy.job != JobId() || !IsCopying(record);
  });
  return waiting;
}

std::vector<std::string> ImageCatalogue::StoredNames() const {
  std::vector<std::string> names;
  for (const ImageRecord& record : All()) {
    const ImageCopy& copy = record.copy;
    if (copy.state == v1::IMAGE_COPY_STATE_UNSPECIFIED) continue;
    names.push_back(StoredName(record));
    // A staged copy may wait longer than a day for its second job.
    if (IsCopying(record)) {
      names.push_back(copy.path.substr(copy.path.rfind('/') + 1));
    }
  }
  return names;
}

// A complete image never changes, so its status file is not read again.
std::vector<ImageRecord> ImageCatalogue::Fixed() const {
  absl::MutexLock lock(&fixed_mutex_);
  const absl::Time now = clock_.Now();
  if (now >= builds_read_at_ + kBuildReadInterval || now < builds_read_at_) {
    builds_read_at_ = now;
    for (ImageRecord& record : fixed_) {
      std::string& path = record.image.status_file;
      if (path.empty()) continue;
      const ImageRecord last = record;
      ApplyBuild(ReadImageBuildStatus(path, now), &record);
      versions_.AddBuildStatus(last, record);
      if (record.state == v1::IMAGE_STATE_ACTIVE) path.clear();
    }
  }
  return fixed_;
}

std::vector<ImageRecord> ImageCatalogue::IncompleteFixed() const {
  std::vector<ImageRecord> records = Fixed();
  std::erase_if(records,
                [](const ImageRecord& record) { return MayRun(record); });
  return records;
}

bool ImageCatalogue::Refresh() {
  Fixed();
  return versions_.TakeChanged();
}

std::vector<ImageRecord> ImageCatalogue::WithWork() const {
  std::vector<ImageRecord> found;
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, record] : added_) {
    if (record.state == v1::IMAGE_STATE_BUILDING || record.check.pending ||
        IsCopying(record)) {
      found.push_back(record);
    }
  }
  return found;
}

std::vector<ImageRecord> ImageCatalogue::All() const {
  std::vector<ImageRecord> all = Fixed();
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, record] : added_) all.push_back(record);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ImageRecord& a, const ImageRecord& b) {
                     return RankOf(a) < RankOf(b);
                   });
  return all;
}

std::vector<Image> ImageCatalogue::UsableBy(const Person& person) {
  std::vector<Image> images;
  for (const Shown& shown : List(person)) {
    if (!shown.usable) continue;
    absl::StatusOr<Image> image = ToRunFor(shown.record, person.uid);
    if (image.ok()) images.push_back(*std::move(image));
  }
  for (const ImageRecord& record : Fixed()) {
    if (record.image.id == kNoImage) images.push_back(record.image);
  }
  return images;
}

std::vector<ImageCatalogue::Shown> ImageCatalogue::List(const Person& person) {
  const std::vector<ImageRecord> all = All();
  const ImageUser user = FindImageUser(person, all);
  std::vector<Shown> shown;
  for (const ImageRecord& record : all) {
    if (record.image.id == kNoImage) continue;
    Shown row{.record = record,
              .usable = IsFor(record, user) &&
                        ProblemOf(record, person.uid) == nullptr,
              .own = IsOwnOf(record, person.uid)};
    HideShares(user, &row.record);
    if (!ReadsEverything(person.role)) HideProjects(user, &row.record);
    for (ImageShare share : row.record.shares) {
      // The share was approved while the site kept no copies. Another approval
      // makes the copy.
      if (needs_copies_ &&
          record.copy.state == v1::IMAGE_COPY_STATE_UNSPECIFIED) {
        share.approved_by.clear();
      }
      row.to_approve.push_back(MayApprove(record, share, user));
    }
    // An image that is still being copied or built is shown to its audience.
    const bool for_them =
        (MayRun(record) || record.fixed) && IsFor(record, user);
    if (for_them || row.own || ReadsEverything(person.role) ||
        std::find(row.to_approve.begin(), row.to_approve.end(), true) !=
            row.to_approve.end()) {
      shown.push_back(std::move(row));
    }
  }
  return shown;
}

// Queries the directory only if groups matter, and the database only if
// projects do. A failed query grants no access.
ImageUser ImageCatalogue::FindImageUser(
    const Person& person, const std::vector<ImageRecord>& images) const {
  ImageUser user{.person = person};
  if (std::any_of(images.begin(), images.end(), [](const ImageRecord& record) {
        return !record.groups.empty() || HasGroupShares(record);
      })) {
    const absl::StatusOr<Person> said = person_lookup_.LookUp(person.username);
    if (said.ok() && said->uid == person.uid) {
      user.person.groups = said->groups;
    }
  }
  if (std::any_of(images.begin(), images.end(), HasProjects)) {
    const absl::StatusOr<ImageUser> image_user = ImageUserOf(person);
    if (image_user.ok()) {
      user.memberships = image_user->memberships;
    } else {
      LogError("images of projects not listed",
               {{"error", StatusText(image_user.status())}});
    }
  }
  return user;
}

absl::StatusOr<ImageUser> ImageCatalogue::ImageUserOf(
    const Person& person) const {
  ASSIGN_OR_RETURN(std::vector<ProjectMembership> memberships,
                   project_memberships_.MembershipsOf(
                       person.uid, person.role == Role::kAdmin));
  return ImageUser{.person = person, .memberships = std::move(memberships)};
}

absl::StatusOr<bool> ImageCatalogue::IsInProject(const ImageRecord& record,
                                                 Uid uid) const {
  if (!HasProjects(record)) return false;
  absl::StatusOr<std::vector<ProjectMembership>> memberships =
      project_memberships_.MembershipsOf(uid, /*all=*/false);
  if (!memberships.ok()) {
    LogError("memberships not read",
             {{"image", record.image.id},
              {"error", StatusText(memberships.status())}});
    return MakeError(image_messages::kProjectsUnavailable);
  }
  ImageUser user;
  user.person.uid = uid;
  user.memberships = *std::move(memberships);
  return record.image.owner.empty() ? IsForProjectOf(record, user)
                                    : IsSharedWith(record, user);
}

absl::StatusOr<Image> ImageCatalogue::ForStart(const std::string& id,
                                               const std::string& username,
                                               Uid uid) {
  std::optional<ImageRecord> found;
  for (ImageRecord& record : All()) {
    if (record.image.id == id) found = std::move(record);
  }
  if (!found || !MayRun(*found)) {
    return MakeError(image_messages::kNotOffered, {{"image", id}});
  }
  if (IsOwnOf(*found, uid)) return ToRunFor(*found, uid);
  if (found->image.owner.empty() && !IsForSome(*found)) {
    return ToRunFor(*found, uid);
  }
  // Membership in projects is known without the directory.
  ASSIGN_OR_RETURN(const bool in_project, IsInProject(*found, uid));
  if (in_project) return ToRunFor(*found, uid);
  absl::StatusOr<Person> person = person_lookup_.LookUp(username);
  if (!person.ok() && !absl::IsNotFound(person.status())) {
    return absl::UnavailableError(person.status().message());
  }
  if (!person.ok() || person->uid != uid ||
      !IsFor(*found, {.person = *person})) {
    return MakeError(image_messages::kNotForUser,
                     {{"image", id}, {"user", username}});
  }
  return ToRunFor(*found, uid);
}

std::optional<Image> ImageCatalogue::Find(const std::string& id) const {
  for (const ImageRecord& record : Fixed()) {
    if (record.image.id == id) return record.image;
  }
  absl::MutexLock lock(&mutex_);
  const auto found = added_.find(id);
  if (found == added_.end()) return std::nullopt;
  return ToRun(found->second);
}

absl::StatusOr<ImageRecord> ImageCatalogue::Add(ImageRecord record) {
  // Rounded to the precision of the table.
  record.created_at = absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now()));
  const absl::MutexLock writing(&writing_);
  const std::string& id = record.image.id;
  const bool is_own = !record.image.owner.empty();
  bool replaces = false;
  {
    absl::MutexLock lock(&mutex_);
    const auto known = added_.find(id);
    replaces = is_own && known != added_.end() &&
               IsOwnOf(known->second, record.image.owner_uid) &&
               known->second.state == v1::IMAGE_STATE_FAILED;
    const auto own =
        std::count_if(added_.begin(), added_.end(), [&](const auto& row) {
          return IsOwnOf(row.second, record.image.owner_uid);
        });
    if (added_.size() >= kMaxImages ||
        (is_own && own >= static_cast<int>(kMaxOwn))) {
      return MakeError(
          image_messages::kTooMany,
          {{"images", is_own ? static_cast<size_t>(own) : added_.size()}});
    }
  }
  if (!replaces && Find(id)) {
    return MakeError(image_messages::kAlreadyExists, {{"image", id}});
  }
  if (replaces) RETURN_IF_ERROR(table_.Delete(id));
  RETURN_IF_ERROR(table_.Insert(record));
  absl::MutexLock lock(&mutex_);
  added_[id] = record;
  versions_.AddChange(record);
  return record;
}

absl::StatusOr<ImageRecord> ImageCatalogue::Change(const std::string& id,
                                                   const Edit& edit) {
  const absl::MutexLock writing(&writing_);
  return Locked(id, edit);
}

absl::StatusOr<ImageRecord> ImageCatalogue::ChangeOwn(const std::string& id,
                                                      Uid uid,
                                                      const Edit& edit) {
  return Change(id, [&](ImageRecord* record) -> absl::Status {
    if (IsOwnOf(*record, uid)) return edit(record);
    return MakeError(image_messages::kNotYours);
  });
}

absl::Status ImageCatalogue::Remove(const std::string& id, Uid uid) {
  const absl::MutexLock writing(&writing_);
  {
    absl::MutexLock lock(&mutex_);
    const auto found = added_.find(id);
    if (found == added_.end() || !IsOwnOf(found->second, uid)) {
      return MakeError(image_messages::kNotYours);
    }
  }
  return Delete(id);
}

absl::Status ImageCatalogue::Delete(const std::string& id) {
  RETURN_IF_ERROR(table_.Delete(id));
  absl::MutexLock lock(&mutex_);
  const auto found = added_.find(id);
  versions_.AddChange(found->second);
  added_.erase(found);
  return absl::OkStatus();
}

// The error for an id that is not in the table.
absl::Status ImageCatalogue::Missing(const std::string& id) const {
  const std::vector<ImageRecord> fixed = Fixed();
  const bool is_fixed =
      std::any_of(fixed.begin(), fixed.end(),
                  [&](const ImageRecord& one) { return one.image.id == id; });
  if (!is_fixed) return MakeError(image_messages::kNotFound);
  return MakeError(image_messages::kDefinedInConfiguration, {{"image", id}});
}

absl::Status ImageCatalogue::RemoveOfSite(const std::string& id) {
  const absl::MutexLock writing(&writing_);
  {
    absl::MutexLock lock(&mutex_);
    const auto found = added_.find(id);
    if (found == added_.end()) return Missing(id);
    if (!found->second.image.owner.empty()) {
      return MakeError(image_messages::kOwnedByUser,
                       {{"image", id}, {"user", found->second.image.owner}});
    }
  }
  return Delete(id);
}

absl::StatusOr<ImageWork> ImageCatalogue::WorkOf(const std::string& id, Uid uid,
                                                 const JobId& job) const {
  using Kind = ImageWork::Kind;
  // The agent may call before the job's id is recorded.
  const auto is = [&](const JobId& expected) {
    return expected == JobId() || expected == job;
  };
  absl::MutexLock lock(&mutex_);
  const auto found = added_.find(id);
  if (found != added_.end()) {
    const ImageRecord& record = found->second;
    const bool own = IsOwnOf(record, uid);
    if (record.image.owner.empty()) {
      if (record.check.pending && is(record.check.job)) {
        return ImageWork{Kind::kCheck, record};
      }
    } else if (record.state == v1::IMAGE_STATE_BUILDING) {
      if (own && is(record.build_job)) return ImageWork{Kind::kBuild, record};
    } else if (record.copy.state == v1::IMAGE_COPY_STATE_STAGING) {
      if (own && is(record.copy.job)) return ImageWork{Kind::kStage, record};
    } else if (record.copy.state == v1::IMAGE_COPY_STATE_STORING) {
      if (record.copy.uid == uid && is(record.copy.job)) {
        return ImageWork{Kind::kStore, record};
      }
    }
  }
  return MakeError(image_messages::kNotBuiltByJob, {{"image", id}});
}

// Returns whether the record changed.
bool ImageCatalogue::FailIfOrphaned(
    const std::function<bool(const JobId&)>& lives, ImageRecord* record) const {
  bool changed = false;
  const auto ended = [&](const JobId& job) {
    return job != JobId() && !lives(job);
  };
  ImageCheck& check = record->check;
  if (check.pending &&
      (check.job == JobId() ? check.since + kLongestSubmission < clock_.Now()
                            : !lives(check.job))) {
    check.pending = false;
    check.job = JobId();
    check.problem = FormatMessage(image_messages::kCheckEndedEarly);
    check.checked_at = clock_.Now();
    changed = true;
  }
  if (record->state == v1::IMAGE_STATE_BUILDING) {
    const bool lost =
        record->image.owner.empty() ? !check.pending
        : record->build_job == JobId()
            ? record->created_at + kLongestSubmission < clock_.Now()
            : !lives(record->build_job);
    if (lost) {
      record->state = v1::IMAGE_STATE_FAILED;
      record->problem = FormatMessage(image_messages::kBuildEndedEarly);
      changed = true;
    }
  }
  ImageCopy& copy = record->copy;
  if (IsCopying(*record) && ended(copy.job)) {
    copy.state = v1::IMAGE_COPY_STATE_FAILED;
    copy.job = JobId();
    copy.problem = FormatMessage(image_messages::kCopyEndedEarly);
    changed = true;
  }
  return changed;
}

void ImageCatalogue::FailOrphaned(
    const std::function<bool(const JobId&)>& lives) {
  for (ImageRecord& record : WithWork()) {
    if (!FailIfOrphaned(lives, &record)) continue;
    // Checks the current record again, because a report may have just arrived.
    const auto settled =
        Change(record.image.id, [&](ImageRecord* now_known) -> absl::Status {
          FailIfOrphaned(lives, now_known);
          return absl::OkStatus();
        });
    if (!settled.ok()) {
      LogError("image not marked as failed",
               {{"image", record.image.id},
                {"error", StatusText(settled.status())}});
    }
  }
}

absl::StatusOr<ImageRecord> ImageCatalogue::Locked(const std::string& id,
                                                   const Edit& edit) {
  ImageRecord record;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = added_.find(id);
    if (found == added_.end()) return Missing(id);
    record = found->second;
  }
  RETURN_IF_ERROR(edit(&record));
  RETURN_IF_ERROR(table_.Update(record));
  absl::MutexLock lock(&mutex_);
  ImageRecord& known = added_[id];
  versions_.AddUpdate(known, record);
  known = record;
  return record;
}

}  // namespace carme::backend
