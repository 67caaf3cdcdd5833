#include "backend/images/image_versions.h"

#include <utility>

namespace carme::backend {

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

void ImageVersions::AddProgress() {
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
