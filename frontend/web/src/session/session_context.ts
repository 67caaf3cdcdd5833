// Who is logged in, for every part of the page that needs to know.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "#proto/auth";
import type { Failure } from "../api/failure";

// The functions stay the same for as long as the page is shown; `session` is
// replaced when the server tells a newer one.
export interface SessionHandle {
  readonly session: Session;
  // Back to the log-in, with the reason to show there.
  end(reason: string): void;
  // Ends the session when this failure says that it is over; whether it did.
  endIfOver(failure: Failure): boolean;
  renew(session: Session): void;
}

export const SessionContext = createContext<SessionHandle | undefined>(
  undefined,
);

export function useSession(): SessionHandle {
  const handle = useContext(SessionContext);
  if (!handle) throw new Error("useSession: no session around this component");
  return handle;
}
