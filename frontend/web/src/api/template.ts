// Clients for templates and presets.
import { createClient } from "@connectrpc/connect";
import { PresetService } from "#proto/preset";
import { TemplateService } from "#proto/template";
import { transport } from "./transport";

export const presetClient = createClient(PresetService, transport);
export const templateClient = createClient(TemplateService, transport);
