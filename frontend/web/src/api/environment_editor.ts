// Clients for the editor of environments: their settings as forms, templates, and
// images with further packages.
import { createClient } from "@connectrpc/connect";
import { EnvironmentFormService } from "#proto/environment_form";
import { EnvironmentGalleryService } from "#proto/environment_gallery";
import { transport } from "./transport";

export const environmentFormClient = createClient(
  EnvironmentFormService,
  transport,
);
export const environmentGalleryClient = createClient(
  EnvironmentGalleryService,
  transport,
);
