// Client for environments.
import { createClient } from "@connectrpc/connect";
import { EnvironmentService } from "#proto/environment";
import { transport } from "./transport";

export const environmentClient = createClient(EnvironmentService, transport);
