#include "backend/images/image_table.h"

#include <utility>

#include "backend/images/image_proto.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::StatusOr<ImageRecord> RecordOf(const Statement& row) {
  ImageRecord record;
  record.image.id = row.Text(0);
  record.image.owner = row.Text(1);
  if (!row.IsNull(2)) {
    record.image.owner_uid = Uid(static_cast<uint32_t>(row.Int(2)));
  }
  record.state = static_cast<ImageState>(row.Int(3));
  record.image.path = row.Text(4);
  record.image.sha256 = row.Text(5);
  record.size_bytes = row.Int(6);
  RETURN_IF_ERROR(ParseSettings(row.Blob(7), &record));
  record.created_at = absl::FromUnixMicros(row.Int(8));
  record.source = static_cast<ImageSource>(row.Int(9));
  record.source_path = row.Text(10);
  record.build_job = JobId(row.Text(11));
  record.problem = row.Text(12);
  record.held = row.Int(13) != 0;
  RETURN_IF_ERROR(ParseShares(row.Blob(14), &record));
  return record;
}

}  // namespace

absl::StatusOr<std::vector<ImageRecord>> ImageTable::Read() {
  std::vector<ImageRecord> records;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare("SELECT id, owner, owner_uid, state, path, sha256, "
                   "size_bytes, settings, created_at, source, source_path, "
                   "build_job, problem, held, shares FROM images ORDER BY id"));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      ASSIGN_OR_RETURN(ImageRecord record, RecordOf(row));
      records.push_back(std::move(record));
    }
  }));
  return records;
}

absl::Status ImageTable::Insert(const ImageRecord& record) {
  const Image& image = record.image;
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO images (id, owner, owner_uid, state, path, "
                   "sha256, size_bytes, settings, created_at, source, "
                   "source_path) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)"));
    write.Bind(1, image.id).Bind(2, image.owner);
    if (image.owner.empty()) {
      write.BindNull(3);
    } else {
      write.Bind(3, static_cast<int64_t>(image.owner_uid.value()));
    }
    return write.Bind(4, static_cast<int64_t>(record.state))
        .Bind(5, image.path)
        .Bind(6, image.sha256)
        .Bind(7, record.size_bytes)
        .BindBlob(8, SerializeSettings(record))
        .Bind(9, absl::ToUnixMicros(record.created_at))
        .Bind(10, static_cast<int64_t>(record.source))
        .Bind(11, record.source_path)
        .Run();
  });
}

absl::Status ImageTable::Update(const ImageRecord& record) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("UPDATE images SET state=?2, settings=?3, path=?4, "
                   "sha256=?5, size_bytes=?6, build_job=?7, problem=?8, "
                   "held=?9, shares=?10 WHERE id=?1"));
    return write.Bind(1, record.image.id)
        .Bind(2, static_cast<int64_t>(record.state))
        .BindBlob(3, SerializeSettings(record))
        .Bind(4, record.image.path)
        .Bind(5, record.image.sha256)
        .Bind(6, record.size_bytes)
        .Bind(7, record.build_job.value())
        .Bind(8, record.problem)
        .Bind(9, static_cast<int64_t>(record.held ? 1 : 0))
        .BindBlob(10, SerializeShares(record))
        .Run();
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
