// The table `images`: all images that were added in the portal.
#ifndef CARME_BACKEND_IMAGES_IMAGE_TABLE_H_
#define CARME_BACKEND_IMAGES_IMAGE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/images/image_record.h"
#include "backend/store/database.h"

namespace carme::backend {

// Thread-safe; every call is one transaction. Errors are the database's.
class ImageTable {
 public:
  // `database` must outlive this.
  explicit ImageTable(Database* database) : database_(*database) {}

  absl::StatusOr<std::vector<ImageRecord>> Read();  // by id
  absl::Status Insert(const ImageRecord& record);
  // Replaces everything but owner and source.
  absl::Status Update(const ImageRecord& record);
  absl::Status Delete(const std::string& id);

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IMAGES_IMAGE_TABLE_H_
