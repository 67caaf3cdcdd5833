// Client for the settings of environments as forms.
import { createClient } from "@connectrpc/connect";
import { EnvironmentFormService } from "#proto/environment_form";
import { transport } from "./transport";

export const environmentFormClient = createClient(
  EnvironmentFormService,
  transport,
);
