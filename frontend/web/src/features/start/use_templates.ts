// The templates that one may ask by; asked again whenever the page of work
// opens.
import type { Template } from "#proto/template";
import { templateClient } from "../../api/template";
import { useQuery } from "../../session/use_query";

const kNone: readonly Template[] = [];

export interface TemplateList {
  readonly templates: readonly Template[];
  readonly awaited: boolean; // they are not known yet
}

export function useTemplates(): TemplateList {
  const { value, failure } = useQuery(() => templateClient.listTemplates({}));
  return {
    templates: value?.templates ?? kNone,
    awaited: !value && !failure,
  };
}
