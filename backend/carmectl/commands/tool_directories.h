// Where carmectl looks for other programs.
#ifndef CARME_BACKEND_CARMECTL_COMMANDS_TOOL_DIRECTORIES_H_
#define CARME_BACKEND_CARMECTL_COMMANDS_TOOL_DIRECTORIES_H_

#include <string>
#include <vector>

namespace carme::carmectl {

// Carme's own programs beside this one, PATH, then the usual places.
std::vector<std::string> ToolDirectories();

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_COMMANDS_TOOL_DIRECTORIES_H_
