// The tables `templates` and `template_projects`. Each function is part of
// something greater and runs in the body of a transaction or query; errors are
// the database's.
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
// By name: those that this user may ask by, in projects of which they are a
// member, which alone are named, or without one.
absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesOf(Database& db,
                                                            Uid uid);
// By name, the retired ones, too: of a project; empty: of everybody without
// one. Without their projects.
absl::StatusOr<std::vector<TemplateRecord>> ReadTemplatesFor(
    Database& db, const std::string& project);
// NOT_FOUND, in words for anybody.
absl::StatusOr<TemplateRecord> ReadTemplate(Database& db,
                                            const std::string& id);

// Takes the place of the one with its id; without its projects.
absl::Status PutTemplate(Database& db, const TemplateRecord& record);
// NOT_FOUND: there is no such project.
absl::Status PutTemplateProject(Database& db, const std::string& id,
                                const std::string& project, bool attached);
// Whether another template has this name.
absl::StatusOr<bool> IsTemplateName(Database& db, const std::string& name,
                                    const std::string& but_of);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_TABLE_H_
