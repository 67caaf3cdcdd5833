// The templates that the user may use, loaded whenever the dashboard opens.
import type { Template } from "#proto/template";
import { templateClient } from "../../api/template";
import { useQuery } from "../../session/use_query";

const kNone: readonly Template[] = [];

export interface TemplateList {
  readonly templates: readonly Template[];
  readonly awaited: boolean; // not loaded yet
}

export function useTemplates(): TemplateList {
  const { value, failure } = useQuery(() => templateClient.listTemplates({}));
  return {
    templates: value?.templates ?? kNone,
    awaited: !value && !failure,
  };
}
