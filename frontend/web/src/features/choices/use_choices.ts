// Looks up names while they are typed. Failures are not shown: the field takes
// any text, and the server checks it.
import { useCallback, useRef } from "preact/hooks";
import type { ChoiceKind } from "#proto/choice";
import { choiceClient } from "../../api/choice";
import { useDebounced } from "../../lib/use_debounced";
import { useQuery } from "../../session/use_query";
import {
  type FoundChoices,
  isUnknown,
  kNoChoices,
  namesIn,
  typedName,
} from "./choice_names";

export interface Choices {
  readonly found: FoundChoices; // for the name that is being typed
  readonly unknown: readonly string[]; // names that do not exist
}

const kNone: Choices = { found: kNoChoices, unknown: [] };

// `wanted`: whether to offer names, otherwise the names in the text are checked.
export function useChoices(
  kind: ChoiceKind,
  text: string,
  list: boolean,
  wanted: boolean,
): Choices {
  const debounced = useDebounced(text);
  const earlier = useRef(new Map<string, FoundChoices>());
  const find = useCallback(
    async (name: string): Promise<FoundChoices> => {
      const key = `${kind} ${name}`;
      const known = earlier.current.get(key);
      if (known) return known;
      const found = await choiceClient.getChoices({ kind, text: name });
      earlier.current.set(key, found);
      return found;
    },
    [kind],
  );
  const { value } = useQuery(async (): Promise<Choices> => {
    const names = namesIn(debounced, list);
    const found = wanted ? await find(typedName(debounced, list)) : kNoChoices;
    const unknown: string[] = [];
    // One after the other: the backend limits searches in the directory.
    for (const name of names) {
      if (isUnknown(kind, name, await find(name))) unknown.push(name);
    }
    return { found, unknown };
  }, `${kind} ${wanted} ${debounced}`);
  return value ?? kNone;
}
