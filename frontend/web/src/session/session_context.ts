// The current session, for all components.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "#proto/auth";
import type { Failure } from "../api/failure";

// The functions never change; `session` is replaced when the server sends a
// newer one.
export interface SessionHandle {
  readonly session: Session;
  // Opens the login page with a reason.
  end(reason: string): void;
  // Ends the session if the failure means that it has expired. Returns whether
  // it did.
  endIfOver(failure: Failure): boolean;
  renew(session: Session): void;
}

export const SessionContext = createContext<SessionHandle | undefined>(
  undefined,
);

export function useSession(): SessionHandle {
  const handle = useContext(SessionContext);
  if (!handle) throw new Error("useSession: no provider");
  return handle;
}
