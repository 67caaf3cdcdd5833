import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Session } from "#proto/auth";
import { isSessionEnd } from "../api/failure";
import { SessionContext, type SessionHandle } from "./session_context";
import { messages } from "#messages/session";

const kSessionOver = messages.yourSessionHasEndedLog;

export function SessionProvider(props: {
  session: Session;
  onEnd(reason: string): void;
  onRenewed(session: Session): void;
  children: ComponentChildren;
}) {
  const { session, onEnd, onRenewed, children } = props;
  const actions = useMemo<Omit<SessionHandle, "session">>(
    () => ({
      end: onEnd,
      endIfOver(failure) {
        if (!isSessionEnd(failure)) return false;
        onEnd(kSessionOver);
        return true;
      },
      renew: onRenewed,
    }),
    [onEnd, onRenewed],
  );
  const handle = useMemo(() => ({ ...actions, session }), [actions, session]);
  return (
    <SessionContext.Provider value={handle}>{children}</SessionContext.Provider>
  );
}
