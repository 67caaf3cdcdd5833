// The files of deploy/config, as they are documented there.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_TEMPLATES_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_TEMPLATES_H_

#include <string_view>

namespace carme::carmectl {

extern const std::string_view kAgentTemplate;
extern const std::string_view kBackendTemplate;
extern const std::string_view kFrontendTemplate;
extern const std::string_view kImpersonatorTemplate;
extern const std::string_view kProxyTemplate;
extern const std::string_view kStorageReaderTemplate;

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_TEMPLATES_H_
