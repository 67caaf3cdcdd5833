// Writes JSON for pages of apps.
#ifndef CARME_SLURM_HOOKS_WEB_APP_JSON_H_
#define CARME_SLURM_HOOKS_WEB_APP_JSON_H_

#include <string>
#include <string_view>

namespace carme::web_app {

// Returns `text`, valid UTF-8, as a JSON string with quotes.
std::string JsonString(std::string_view text);

}  // namespace carme::web_app

#endif  // CARME_SLURM_HOOKS_WEB_APP_JSON_H_
