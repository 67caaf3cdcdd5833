// Converts projects to and from messages.
#ifndef CARME_BACKEND_RPC_CONVERT_PROJECT_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_PROJECT_PROTO_H_

#include "backend/projects/project_view.h"

namespace carme::v1 {
class Project;
class ProjectSettings;
}  // namespace carme::v1

namespace carme::backend {

void Fill(const ProjectView& view, v1::Project* message);
ProjectSettings SettingsOf(const v1::ProjectSettings& message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_PROJECT_PROTO_H_
