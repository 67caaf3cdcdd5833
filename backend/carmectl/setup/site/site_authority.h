// The certificates of a site's programs, by the authority of `carmectl pki`.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_AUTHORITY_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_AUTHORITY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/carmectl/setup/site/site_files.h"

namespace carme::carmectl {

// Creates the authority in `directory` if it does not exist, and issues what is
// missing or expires within 60 days, also for further clusters. Sets the
// certificates of `material`.
// Errors of PkiAuthority.
absl::Status IssueSiteCertificates(const std::string& directory,
                                   const SiteAnswers& answers, absl::Time now,
                                   SiteMaterial* material);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_AUTHORITY_H_
