// The client of projects: everybody's page asks which there are.
import { createClient } from "@connectrpc/connect";
import { ProjectService } from "#proto/project";
import { transport } from "./transport";

export const projectClient = createClient(ProjectService, transport);
