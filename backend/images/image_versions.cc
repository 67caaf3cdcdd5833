#include "backend/images/image_versions.h"

#include <google/protobuf/util/message_differencer.h>

#include <optional>
#include <utility>

#include "backend/images/image_proto.h"

namespace carme::backend {
namespace {

bool HasSameProgress(const std::optional<ImageBuildStatus>& a,
                     const std::optional<ImageBuildStatus>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->step == b->step && a->steps == b->steps &&
         a->percent == b->percent && a->message == b->message &&
         a->started_at == b->started_at;
}

bool IsShownAlike(const ImageRecord& a, const ImageRecord& b) {
  v1::Image first;
  v1::Image second;
  Fill(a, &first);
  Fill(b, &second);
  return google::protobuf::util::MessageDifferencer::Equals(first, second);
}

}  // namespace

void ImageVersions::AddChange(const ImageRecord& record) {
  const Image& image = record.image;
  absl::MutexLock lock(&mutex_);
  changed_ = true;
  ++all_;
  if (image.owner.empty() || !record.shares.empty()) {
    ++shared_;
  } else {
    ++own_[image.owner_uid.value()];
  }
}

void ImageVersions::AddUpdate(const ImageRecord& before,
                              const ImageRecord& after) {
  if (IsShownAlike(before, after)) return;
  AddChange(before);
  AddChange(after);
}

void ImageVersions::AddBuildStatus(const ImageRecord& before,
                                   const ImageRecord& after) {
  if (before.state != after.state || before.problem != after.problem) {
    return AddChange(after);
  }
  if (HasSameProgress(before.build, after.build)) return;
  absl::MutexLock lock(&mutex_);
  ++all_;
  ++shared_;
}

uint64_t ImageVersions::For(Uid reader, bool reads_all) const {
  absl::MutexLock lock(&mutex_);
  if (reads_all) return base_ + all_;
  const auto own = own_.find(reader.value());
  return base_ + shared_ + (own == own_.end() ? 0 : own->second);
}

bool ImageVersions::TakeChanged() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(changed_, false);
}

}  // namespace carme::backend
