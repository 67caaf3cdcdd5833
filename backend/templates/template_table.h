// The tables `templates` and `template_projects`. REQUIRES for all: in the body
// of a transaction or query. Errors are the database's.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_TABLE_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/store/database.h"
#include "backend/templates/template_record.h"
#include "common/ids.h"

namespace carme::backend {

// By name, with all their projects.
absl::StatusOr<std::vector<TemplateRecord>> ReadTemplates(Database& db);
// By name: the templates that this user may use, with those of their projects
// that they are for.
absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesOf(Database& db,
                                                            Uid uid);
// By name, also retired ones, of a project; empty: for users without one.
// Without their projects.
absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesFor(
    Database& db, const std::string& project);
// NOT_FOUND, with a message for the user.
absl::StatusOr<TemplateRecord> ReadTemplate(Database& db,
                                            const std::string& id);

// Replaces the template with its id, but not its projects.
absl::Status PutTemplate(Database& db, const TemplateRecord& record);
// NOT_FOUND: there is no such project.
absl::Status PutTemplateProject(Database& db, const std::string& id,
                                const std::string& project, bool attached);
// Whether another template has this name.
absl::StatusOr<bool> IsTemplateName(Database& db, const std::string& name,
                                    const std::string& but_of);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_TABLE_H_
