// The client of the environments' page, and of the choice in the start form.
import { createClient } from "@connectrpc/connect";
import { EnvironmentService } from "#proto/environment";
import { transport } from "./transport";

export const environmentClient = createClient(EnvironmentService, transport);
