import { createContext } from "preact";
import { useContext } from "preact/hooks";

// Runs an operation that may require a recent second factor, and asks for the
// factor first if needed. Throws Declined when the user closes the dialog.
export type WithReauthentication = <T>(
  operation: () => Promise<T>,
) => Promise<T>;

export const ReauthenticationContext = createContext<WithReauthentication>(
  (operation) => operation(),
);

export function useReauthentication(): WithReauthentication {
  return useContext(ReauthenticationContext);
}
