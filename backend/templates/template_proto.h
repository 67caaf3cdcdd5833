// Conversion between plain values and messages of carme.v1.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_PROTO_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_PROTO_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "backend/templates/template_record.h"

namespace carme::v1 {
class Template;
class TemplateSettings;
}  // namespace carme::v1

namespace carme::backend {

void Fill(const JobTemplate& settings, v1::TemplateSettings* message);
void Fill(const TemplateRecord& record, v1::Template* message);

// Accepts any message, without an id; template_rules.h checks it.
JobTemplate TemplateOf(const v1::TemplateSettings& message);

// The stored form. INTERNAL: invalid bytes.
std::string SerializeTemplate(const JobTemplate& settings);
absl::StatusOr<JobTemplate> ParseTemplate(std::string_view bytes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_PROTO_H_
