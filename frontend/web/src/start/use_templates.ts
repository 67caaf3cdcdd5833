// The templates that one may ask by; asked again whenever the page of work
// opens.
import type { Template } from "#proto/template";
import { templateClient } from "../api/template_clients";
import { useLoaded } from "../session/use_loaded";

const kNone: readonly Template[] = [];

export function useTemplates(): readonly Template[] {
  return (
    useLoaded(() => templateClient.listTemplates({})).value?.templates ?? kNone
  );
}
