// Client for images.
import { createClient } from "@connectrpc/connect";
import { ImageService } from "#proto/image";
import { transport } from "./transport";

export const imageClient = createClient(ImageService, transport);
