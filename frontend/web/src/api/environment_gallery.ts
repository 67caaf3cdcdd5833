// Client for templates of environments and images with further packages.
import { createClient } from "@connectrpc/connect";
import { EnvironmentGalleryService } from "#proto/environment_gallery";
import { transport } from "./transport";

export const environmentGalleryClient = createClient(
  EnvironmentGalleryService,
  transport,
);
