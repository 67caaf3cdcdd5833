import { createContext } from "preact";
import { useContext } from "preact/hooks";

// Does an act that needs a fresh second factor, asking for one first where that
// is needed. Throws Declined when the person closes the question.
export type WithFreshFactor = <T>(act: () => Promise<T>) => Promise<T>;

export const FreshFactorContext = createContext<WithFreshFactor>((act) =>
  act(),
);

export function useFreshFactor(): WithFreshFactor {
  return useContext(FreshFactorContext);
}
