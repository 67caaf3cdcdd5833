#include "backend/announcements/announcements.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "backend/announcements/announcement_table.h"
#include "backend/announcements/messages.h"
#include "backend/identity/role.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

void Sort(std::vector<Announcement>* announcements) {
  std::stable_sort(announcements->begin(), announcements->end(),
                   [](const Announcement& a, const Announcement& b) {
                     return a.level != b.level ? a.level > b.level
                                               : a.starts_at > b.starts_at;
                   });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Announcements>> Announcements::Open(
    const Parts& parts) {
  auto self = absl::WrapUnique(new Announcements(parts));
  RETURN_IF_ERROR(self->Load());
  return self;
}

absl::Status Announcements::Load() {
  std::vector<Announcement> stored;
  RETURN_IF_ERROR(parts_.database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(stored, ReadAnnouncements(db));
    return absl::OkStatus();
  }));
  const absl::MutexLock lock(&mutex_);
  announcements_ = std::move(stored);
  return absl::OkStatus();
}

std::vector<Announcement> Announcements::All() const {
  const absl::MutexLock lock(&mutex_);
  return announcements_;
}

std::vector<Announcement> Announcements::Shown() const {
  const absl::Time now = parts_.clock->Now();
  std::vector<Announcement> shown = All();
  std::erase_if(shown, [&](const Announcement& announcement) {
    return !IsShown(announcement, now);
  });
  Sort(&shown);
  return shown;
}

std::vector<Announcement> Announcements::Public() const {
  std::vector<Announcement> shown = Shown();
  std::erase_if(shown, [](const Announcement& announcement) {
    return announcement.audience != v1::ANNOUNCEMENT_AUDIENCE_EVERYONE;
  });
  return shown;
}

std::vector<Announcement> Announcements::For(const Session& reader) const {
  std::vector<Announcement> shown = Shown();
  std::erase_if(shown, [&](const Announcement& announcement) {
    return !IsFor(announcement, reader);
  });
  return shown;
}

bool Announcements::IsFor(const Announcement& announcement,
                          const Session& reader) const {
  switch (announcement.audience) {
    case v1::ANNOUNCEMENT_AUDIENCE_EVERYONE:
    case v1::ANNOUNCEMENT_AUDIENCE_USERS:
      return true;
    case v1::ANNOUNCEMENT_AUDIENCE_PROJECT:
      return IsMember(announcement.audience_name, reader);
    case v1::ANNOUNCEMENT_AUDIENCE_GROUP:
      return IsInGroup(announcement.audience_name, reader);
    case v1::ANNOUNCEMENT_AUDIENCE_ROLE:
      return announcement.audience_name == RoleName(reader.role);
    default:
      return false;
  }
}

bool Announcements::IsMember(const std::string& project,
                             const Session& reader) const {
  const absl::StatusOr<std::vector<ProjectMembership>> memberships =
      parts_.projects->MembershipsOf(reader.uid, /*all=*/false);
  if (!memberships.ok()) {
    LogError("projects of a reader not read",
             {{"user", reader.username},
              {"error", StatusText(memberships.status())}});
    return false;
  }
  return std::any_of(memberships->begin(), memberships->end(),
                     [&](const ProjectMembership& membership) {
                       return membership.project == project &&
                              membership.is_member;
                     });
}

bool Announcements::IsInGroup(const std::string& group,
                              const Session& reader) const {
  const absl::StatusOr<Person> person =
      parts_.person_lookup->LookUp(reader.username);
  if (!person.ok() || person->uid != reader.uid) return false;
  return std::find(person->groups.begin(), person->groups.end(), group) !=
         person->groups.end();
}

absl::StatusOr<Announcement> Announcements::Find(const std::string& id) const {
  const absl::MutexLock lock(&mutex_);
  for (const Announcement& announcement : announcements_) {
    if (announcement.id == id) return announcement;
  }
  return MakeError(announcement_messages::kNotFound, {{"id", id}});
}

absl::Status Announcements::CompleteAudience(Announcement* announcement) const {
  std::string& name = announcement->audience_name;
  if (announcement->audience == v1::ANNOUNCEMENT_AUDIENCE_GROUP) {
    const absl::StatusOr<std::string> found = parts_.directory->FindGroup(name);
    if (absl::IsNotFound(found.status())) {
      return MakeError(announcement_messages::kGroupUnknown, {{"group", name}});
    }
    if (!found.ok()) {
      LogWarning("group not looked up",
                 {{"error", StatusText(found.status())}});
      return MakeError(announcement_messages::kDirectoryUnavailable);
    }
    name = *found;
  }
  if (announcement->audience != v1::ANNOUNCEMENT_AUDIENCE_PROJECT) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<ProjectMembership> projects,
                   parts_.projects->MembershipsOf(kNoUid, /*all=*/true));
  const bool exists = std::any_of(projects.begin(), projects.end(),
                                  [&](const ProjectMembership& membership) {
                                    return membership.project == name;
                                  });
  if (exists) return absl::OkStatus();
  return MakeError(announcement_messages::kProjectUnknown, {{"project", name}});
}

absl::Status Announcements::Store(const Announcement& announcement) {
  RETURN_IF_ERROR(parts_.database->Transact(
      [&](Database& db) { return WriteAnnouncement(db, announcement); }));
  return Load();
}

absl::StatusOr<Announcement> Announcements::Create(
    const v1::AnnouncementDetails& details, const std::string& administrator) {
  const absl::MutexLock changing(&changing_);
  if (All().size() >= kMaxAnnouncements) {
    return MakeError(announcement_messages::kTooMany,
                     {{"max", kMaxAnnouncements}});
  }
  ASSIGN_OR_RETURN(Announcement announcement,
                   CheckAnnouncement(details, administrator, std::nullopt,
                                     parts_.clock->Now()));
  RETURN_IF_ERROR(CompleteAudience(&announcement));
  announcement.id = NewRequestId();
  RETURN_IF_ERROR(Store(announcement));
  return announcement;
}

absl::StatusOr<Announcements::Change> Announcements::Update(
    const v1::AnnouncementDetails& details, const std::string& administrator) {
  const absl::MutexLock changing(&changing_);
  Change change;
  ASSIGN_OR_RETURN(change.before, Find(details.announcement().id()));
  ASSIGN_OR_RETURN(change.after,
                   CheckAnnouncement(details, administrator, change.before,
                                     parts_.clock->Now()));
  RETURN_IF_ERROR(CompleteAudience(&change.after));
  RETURN_IF_ERROR(Store(change.after));
  return change;
}

absl::StatusOr<Announcement> Announcements::Delete(const std::string& id) {
  const absl::MutexLock changing(&changing_);
  ASSIGN_OR_RETURN(Announcement deleted, Find(id));
  RETURN_IF_ERROR(parts_.database->Transact(
      [&](Database& db) { return DeleteAnnouncement(db, id); }));
  RETURN_IF_ERROR(Load());
  return deleted;
}

}  // namespace carme::backend
