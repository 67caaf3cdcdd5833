// Looks up the template of a job.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_LOOKUP_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_LOOKUP_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/policy/spec/job_template.h"

namespace carme::backend {

// Implemented by Templates. Thread-safe.
class TemplateLookup {
 public:
  virtual ~TemplateLookup() = default;
  // The last written version, also of a retired template. NOT_FOUND. Must not
  // block: called on threads that serve streams.
  virtual absl::StatusOr<JobTemplate> Find(const std::string& id) const = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_LOOKUP_H_
