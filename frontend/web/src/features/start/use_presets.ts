// The user's presets, loaded whenever the dashboard opens.
import { presetClient } from "../../api/template";
import { type Query, useQuery } from "../../session/use_query";
import type { ListPresetsResponse } from "#proto/preset";

export function usePresets(): Query<ListPresetsResponse> {
  return useQuery(() => presetClient.listPresets({}));
}
