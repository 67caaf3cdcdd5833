#include "backend/images/image_table.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/images/image_proto.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<ImageRecord>& ImageColumns() {
  static const auto* const columns = new RowMapper<ImageRecord>({
      {"id", Member(&ImageRecord::image, &Image::id)},
      {"owner", Member(&ImageRecord::image, &Image::owner)},
      // NULL: an image of the site.
      ConvertedColumn<ImageRecord, std::optional<Uid>>(
          "owner_uid",
          [](const ImageRecord& row) {
            return row.image.owner.empty() ? std::nullopt
                                           : std::optional(row.image.owner_uid);
          },
          [](std::optional<Uid> uid, ImageRecord* row) {
            if (uid) row->image.owner_uid = *uid;
          }),
      {"state", &ImageRecord::state},
      {"path", Member(&ImageRecord::image, &Image::path)},
      {"sha256", Member(&ImageRecord::image, &Image::sha256)},
      {"size_bytes", &ImageRecord::size_bytes},
      ConvertedColumn<ImageRecord, Blob>(
          "settings",
          [](const ImageRecord& row) { return Blob{SerializeSettings(row)}; },
          [](const Blob& blob, ImageRecord* row) {
            return ParseSettings(blob.bytes, row);
          }),
      {"created_at", &ImageRecord::created_at},
      {"source", &ImageRecord::source},
      {"source_path", &ImageRecord::source_path},
      ConvertedColumn<ImageRecord, Blob>(
          "recipe",
          [](const ImageRecord& row) {
            return Blob{row.recipe.SerializeAsString()};
          },
          [](const Blob& blob, ImageRecord* row) {
            return ParseRecipe(blob.bytes, row);
          }),
      {"build_job", &ImageRecord::build_job},
      {"problem", &ImageRecord::problem},
      {"held", &ImageRecord::held},
      ConvertedColumn<ImageRecord, Blob>(
          "shares",
          [](const ImageRecord& row) { return Blob{SerializeShares(row)}; },
          [](const Blob& blob, ImageRecord* row) {
            return ParseShares(blob.bytes, row);
          }),
  });
  return *columns;
}

}  // namespace

absl::StatusOr<std::vector<ImageRecord>> ImageTable::Read() {
  std::vector<ImageRecord> records;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement rows,
                     db.Prepare(absl::StrCat("SELECT ", ImageColumns().list(),
                                             " FROM images ORDER BY id")));
    ASSIGN_OR_RETURN(records, ImageColumns().ReadAll(rows));
    return absl::OkStatus();
  }));
  return records;
}

absl::Status ImageTable::Insert(const ImageRecord& record) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare(ImageColumns().InsertInto("images")));
    ImageColumns().Bind(write, record);
    return write.Run();
  });
}

absl::Status ImageTable::Update(const ImageRecord& record) {
  return database_.Transact([&](Database& db) -> absl::Status {
    static const RowMapper<ImageRecord> changed = ImageColumns().Only(
        {"state", "settings", "path", "sha256", "size_bytes", "build_job",
         "problem", "held", "shares"});
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare(absl::StrCat("UPDATE images SET ", changed.assignments(),
                                " WHERE id=?")));
    const int next = changed.Bind(write, record);
    return write.Bind(next, record.image.id).Run();
  });
}

absl::Status ImageTable::Delete(const std::string& id) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM images WHERE id=?1"));
    return write.Bind(1, id).Run();
  });
}

}  // namespace carme::backend
