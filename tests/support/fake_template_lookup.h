// A template lookup that a test can make fail.
#ifndef CARME_TESTS_SUPPORT_FAKE_TEMPLATE_LOOKUP_H_
#define CARME_TESTS_SUPPORT_FAKE_TEMPLATE_LOOKUP_H_

#include <string>

#include "absl/status/status.h"
#include "backend/templates/template_lookup.h"

namespace carme::backend {

// Forwards to `templates` unless `error` is set. Not thread-safe.
class FakeTemplateLookup : public TemplateLookup {
 public:
  absl::StatusOr<JobTemplate> Find(const std::string& id) const override {
    if (!error.ok()) return error;
    return templates->Find(id);
  }

  const TemplateLookup* templates = nullptr;
  absl::Status error;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_FAKE_TEMPLATE_LOOKUP_H_
