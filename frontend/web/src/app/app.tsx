// Which of the four faces the page shows: loading, unreachable, log-in, work.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Session } from "#proto/auth";
import { authClient } from "../api/core";
import { type Failure, failureOf, isSessionEnd } from "../api/failure";
import { LoginPage } from "../features/auth/login/login_page";
import { FreshFactorProvider } from "../features/auth/reauthentication_provider";
import { SessionProvider } from "../session/session_provider";
import { Shell } from "./shell";
import { ToastProvider } from "../ui/toasts";
import { UnreachablePage } from "./unreachable_page";

type Face =
  | { at: "loading" }
  | { at: "unreachable"; failure: Failure }
  | { at: "login"; reason: string }
  | { at: "work"; session: Session };

export function App() {
  const [face, setFace] = useState<Face>({ at: "loading" });

  const work = useCallback((session: Session) => {
    setFace({ at: "work", session });
  }, []);
  // Not when it has ended meanwhile.
  const renew = useCallback((session: Session) => {
    setFace((old) => (old.at === "work" ? { at: "work", session } : old));
  }, []);
  const login = useCallback((reason: string) => {
    setFace({ at: "login", reason });
  }, []);
  const load = useCallback(async () => {
    try {
      const { session } = await authClient.getSession({});
      if (session) work(session);
      else login("");
    } catch (error) {
      const failure = failureOf(error);
      if (isSessionEnd(failure)) login("");
      else setFace({ at: "unreachable", failure });
    }
  }, [work, login]);
  useEffect(() => void load(), [load]);

  switch (face.at) {
    case "loading":
      return <div class="boot" role="status" aria-label="Loading Carme" />;
    case "unreachable":
      return <UnreachablePage failure={face.failure} retry={load} />;
    case "login":
      return <LoginPage reason={face.reason} onSession={work} />;
    case "work":
      return (
        <SessionProvider session={face.session} onEnd={login} onRenewed={renew}>
          <ToastProvider>
            <FreshFactorProvider>
              <Shell />
            </FreshFactorProvider>
          </ToastProvider>
        </SessionProvider>
      );
  }
}
