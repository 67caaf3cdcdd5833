#include "backend/images/image_catalogue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kMostImages = 2000;

bool Shares(const std::vector<std::string>& some,
            const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& one) {
    return std::find(others.begin(), others.end(), one) != others.end();
  });
}

bool IsForSome(const ImageRecord& record) {
  return !record.groups.empty() || !record.roles.empty();
}

bool IsFor(const ImageRecord& record, const Person& person) {
  if (!record.image.owner.empty()) {
    return record.image.owner_uid == person.uid;
  }
  return !IsForSome(record) || Shares(record.groups, person.groups) ||
         std::find(record.roles.begin(), record.roles.end(), person.role) !=
             record.roles.end();
}

// Where it stands in lists: backend.toml's, the site's, users' own; deprecated
// ones; the node's own system.
int RankOf(const ImageRecord& record) {
  if (record.image.id == kNoImage) return 4;
  if (record.state != ImageState::kActive) return 3;
  if (record.fixed) return 0;
  return record.image.owner.empty() ? 1 : 2;
}

Image ToRun(const ImageRecord& record) {
  Image image = record.image;
  image.deprecated = record.state == ImageState::kDeprecated;
  return image;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ImageCatalogue>> ImageCatalogue::Open(
    Database* database, const Clock* clock, const std::vector<Image>& fixed,
    WhoIs who_is) {
  std::unique_ptr<ImageCatalogue> catalogue(
      new ImageCatalogue(database, clock, std::move(who_is)));
  for (const Image& image : fixed) {
    catalogue->fixed_.push_back({.image = image, .fixed = true});
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
      LogWarning("image is in backend.toml and in the table: the file counts",
                 {{"image", id}});
      continue;
    }
    catalogue->added_[id] = record;
  }
  return catalogue;
}

std::vector<ImageRecord> ImageCatalogue::All() const {
  std::vector<ImageRecord> all = fixed_;
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
    if (shown.usable) images.push_back(ToRun(shown.record));
  }
  for (const ImageRecord& record : fixed_) {
    if (record.image.id == kNoImage) images.push_back(record.image);
  }
  return images;
}

std::vector<ImageCatalogue::Shown> ImageCatalogue::List(const Person& person) {
  std::vector<ImageRecord> all = All();
  Person known = person;
  // The directory is asked only where groups matter.
  if (std::any_of(all.begin(), all.end(), [](const ImageRecord& record) {
        return !record.groups.empty();
      })) {
    const absl::StatusOr<Person> said = who_is_(person.username);
    if (said.ok() && said->uid == person.uid) known.groups = said->groups;
  }
  std::vector<Shown> shown;
  for (ImageRecord& record : all) {
    if (record.image.id == kNoImage) continue;
    const bool is_for = IsFor(record, known);
    const bool is_own = !record.image.owner.empty() && is_for;
    const bool usable = is_for && record.state != ImageState::kWithdrawn;
    if (!usable && !is_own && !ReadsEverything(person.role)) continue;
    shown.push_back({std::move(record), usable});
  }
  return shown;
}

absl::StatusOr<Image> ImageCatalogue::ForStart(const std::string& id,
                                               const std::string& username) {
  std::optional<ImageRecord> found;
  for (ImageRecord& record : All()) {
    if (record.image.id == id) found = std::move(record);
  }
  if (!found || found->state == ImageState::kWithdrawn) {
    return absl::FailedPreconditionError(
        absl::StrCat("image \"", id, "\" is not offered any more"));
  }
  if (found->image.owner.empty() && !IsForSome(*found)) return ToRun(*found);
  absl::StatusOr<Person> person = who_is_(username);
  if (!person.ok() && !absl::IsNotFound(person.status())) {
    return absl::UnavailableError(person.status().message());
  }
  if (!person.ok() || !IsFor(*found, *person)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "image \"", id, "\" is not for user \"", username, "\" any more"));
  }
  return ToRun(*found);
}

std::optional<Image> ImageCatalogue::Find(const std::string& id) const {
  for (const ImageRecord& record : fixed_) {
    if (record.image.id == id) return record.image;
  }
  absl::MutexLock lock(&mutex_);
  const auto found = added_.find(id);
  if (found == added_.end()) return std::nullopt;
  return ToRun(found->second);
}

absl::StatusOr<ImageRecord> ImageCatalogue::Add(ImageRecord record) {
  // What the table can hold.
  record.created_at = absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now()));
  const absl::MutexLock writing(&writing_);
  {
    absl::MutexLock lock(&mutex_);
    if (added_.size() >= kMostImages) {
      return absl::ResourceExhaustedError(
          absl::StrCat("there are ", added_.size(), " images: expected fewer"));
    }
  }
  if (Find(record.image.id)) {
    return absl::AlreadyExistsError(absl::StrCat(
        "there is an image \"", record.image.id,
        "\": expected another version, since its file never changes"));
  }
  RETURN_IF_ERROR(table_.Insert(record));
  absl::MutexLock lock(&mutex_);
  added_[record.image.id] = record;
  return record;
}

absl::StatusOr<ImageRecord> ImageCatalogue::Change(const std::string& id,
                                                   const Edit& edit) {
  const absl::MutexLock writing(&writing_);
  ImageRecord record;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = added_.find(id);
    if (found == added_.end()) {
      const bool is_fixed = std::any_of(
          fixed_.begin(), fixed_.end(),
          [&](const ImageRecord& one) { return one.image.id == id; });
      if (!is_fixed) return absl::NotFoundError("there is no such image");
      return absl::FailedPreconditionError(absl::StrCat(
          "image \"", id, "\" stands in backend.toml: change it there"));
    }
    record = found->second;
  }
  RETURN_IF_ERROR(edit(&record));
  RETURN_IF_ERROR(table_.Update(record));
  absl::MutexLock lock(&mutex_);
  added_[id] = record;
  return record;
}

}  // namespace carme
