#include "backend/templates/template_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/templates/template_proto.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// `projects`: an expression for the comma-separated projects of a template.
std::string Select(absl::string_view projects, absl::string_view rest) {
  return absl::StrCat("SELECT id, settings, retired, everybody, created_at, ",
                      projects, " FROM templates ", rest);
}

constexpr char kNoProjects[] = "''";
constexpr char kAllProjects[] =
    "(SELECT group_concat(project) FROM template_projects WHERE template=id)";

absl::StatusOr<TemplateRecord> RecordAt(const Statement& row) {
  TemplateRecord record;
  ASSIGN_OR_RETURN(record.job_template, ParseTemplate(row.Blob(1)));
  record.job_template.id = row.Text(0);
  record.retired = row.Int(2) != 0;
  record.everybody = row.Int(3) != 0;
  record.created_at = absl::FromUnixMicros(row.Int(4));
  record.projects = absl::StrSplit(row.Text(5), ',', absl::SkipEmpty());
  return record;
}

absl::StatusOr<std::vector<TemplateRecord>> ReadAll(Statement& row) {
  std::vector<TemplateRecord> records;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return records;
    ASSIGN_OR_RETURN(TemplateRecord record, RecordAt(row));
    records.push_back(std::move(record));
  }
}

}  // namespace

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplates(Database& db) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(Select(kAllProjects, "ORDER BY name")));
  return ReadAll(row);
}

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesOf(Database& db,
                                                            Uid uid) {
  constexpr char kTheirs[] =
      "(SELECT group_concat(t.project) FROM template_projects t JOIN "
      "project_members m ON m.project=t.project WHERE t.template=id AND "
      "m.uid=?1 AND m.role>=4)";
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(Select(absl::StrCat(kTheirs, " AS theirs"),
                        "WHERE retired=0 AND (everybody=1 OR theirs IS NOT "
                        "NULL) ORDER BY name")));
  row.Bind(1, int64_t{uid.value()});
  return ReadAll(row);
}

absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesFor(
    Database& db, const std::string& project) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(Select(
          kNoProjects,
          project.empty()
              ? "WHERE everybody=1 ORDER BY name"
              : "WHERE id IN (SELECT template FROM template_projects WHERE "
                "project=?1) ORDER BY name")));
  if (!project.empty()) row.Bind(1, project);
  return ReadAll(row);
}

absl::StatusOr<TemplateRecord> ReadTemplate(Database& db,
                                            const std::string& id) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare(Select(kAllProjects, "WHERE id=?1")));
  ASSIGN_OR_RETURN(const bool found, row.Bind(1, id).Step());
  if (!found) return absl::NotFoundError("there is no such template");
  return RecordAt(row);
}

absl::Status PutTemplate(Database& db, const TemplateRecord& record) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO templates (id, name, settings, retired, "
                 "everybody, created_at) VALUES (?1,?2,?3,?4,?5,?6) "
                 "ON CONFLICT (id) DO UPDATE SET name=?2, settings=?3, "
                 "retired=?4, everybody=?5"));
  return write.Bind(1, record.job_template.id)
      .Bind(2, record.job_template.name)
      .BindBlob(3, SerializeTemplate(record.job_template))
      .Bind(4, int64_t{record.retired ? 1 : 0})
      .Bind(5, int64_t{record.everybody ? 1 : 0})
      .Bind(6, absl::ToUnixMicros(record.created_at))
      .Run();
}

absl::Status PutTemplateProject(Database& db, const std::string& id,
                                const std::string& project, bool attached) {
  if (!attached) {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM template_projects WHERE "
                                "template=?1 AND project=?2"));
    return write.Bind(1, id).Bind(2, project).Run();
  }
  ASSIGN_OR_RETURN(Statement known,
                   db.Prepare("SELECT 1 FROM projects WHERE id=?1"));
  ASSIGN_OR_RETURN(const bool found, known.Bind(1, project).Step());
  if (!found) return absl::NotFoundError("there is no such project");
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("INSERT INTO template_projects (template, "
                              "project) VALUES (?1,?2) ON CONFLICT DO "
                              "NOTHING"));
  return write.Bind(1, id).Bind(2, project).Run();
}

absl::StatusOr<bool> IsTemplateName(Database& db, const std::string& name,
                                    const std::string& but_of) {
  ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT 1 FROM templates WHERE name=?1 AND id<>?2"));
  return row.Bind(1, name).Bind(2, but_of).Step();
}

}  // namespace carme::backend
