// A template, and the projects that may use it.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_RECORD_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_RECORD_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

struct TemplateRecord {
  JobTemplate job_template{};
  bool retired = false;
  bool everybody = false;               // users without a project
  std::vector<std::string> projects{};  // project ids
  absl::Time created_at{};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_RECORD_H_
