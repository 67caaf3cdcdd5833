// Client for projects.
import { createClient } from "@connectrpc/connect";
import { ProjectService } from "#proto/project";
import { transport } from "./transport";

export const projectClient = createClient(ProjectService, transport);
