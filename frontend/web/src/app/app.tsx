// The four states of the application: loading, unreachable, log-in, portal.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Session } from "#proto/auth";
import type { JobSpec } from "#proto/jobs";
import { clusterNames, selectCluster, selectedCluster } from "../api/clusters";
import { authClient } from "../api/core";
import { setBatching } from "../api/transport";
import { type Failure, failureOf, isSessionEnd } from "../api/failure";
import { LoginPage } from "../features/auth/login/login_page";
import { ReauthenticationProvider } from "../features/auth/reauthentication_provider";
import { ClusterContext } from "../session/cluster_context";
import { SessionProvider } from "../session/session_provider";
import { loadFirst, rememberSession } from "./first_calls";
import { Shell } from "./shell";
import { ToastProvider } from "../ui/toasts";
import { UnreachablePage } from "./unreachable_page";
import { messages } from "#messages/app";

type View =
  | { at: "loading" }
  | { at: "unreachable"; failure: Failure }
  | { at: "login"; reason: string }
  | { at: "portal"; session: Session };

export function App() {
  const [view, setView] = useState<View>({ at: "loading" });
  const [cluster, setCluster] = useState<{ name: string; spec?: JobSpec }>({
    name: selectedCluster(),
  });
  const select = useCallback((name: string, spec?: JobSpec) => {
    selectCluster(name);
    setCluster({ name, ...(spec && { spec }) });
  }, []);

  const showPortal = useCallback((session: Session) => {
    rememberSession(true);
    setBatching(true);
    setView({ at: "portal", session });
  }, []);
  // Ignored when the session has ended in the meantime.
  const renew = useCallback((session: Session) => {
    setView((old) => (old.at === "portal" ? { at: "portal", session } : old));
  }, []);
  const login = useCallback((reason: string) => {
    rememberSession(false);
    setBatching(false);
    setView({ at: "login", reason });
  }, []);
  const load = useCallback(async () => {
    try {
      const { session } = await authClient.getSession({});
      if (session) showPortal(session);
      else login("");
    } catch (error) {
      const failure = failureOf(error);
      if (isSessionEnd(failure)) login("");
      else setView({ at: "unreachable", failure });
    }
  }, [showPortal, login]);
  useEffect(() => {
    loadFirst(location.hash);
    void load();
  }, [load]);

  switch (view.at) {
    case "loading":
      return (
        <div class="boot" role="status" aria-label={messages.loadingCarme} />
      );
    case "unreachable":
      return <UnreachablePage failure={view.failure} retry={load} />;
    case "login":
      return <LoginPage reason={view.reason} onSession={showPortal} />;
    case "portal":
      return (
        <SessionProvider session={view.session} onEnd={login} onRenewed={renew}>
          <ToastProvider>
            <ReauthenticationProvider>
              <ClusterContext.Provider
                value={{ names: clusterNames, selected: cluster.name, select }}
              >
                <Shell key={cluster.name} spec={cluster.spec} />
              </ClusterContext.Provider>
            </ReauthenticationProvider>
          </ToastProvider>
        </SessionProvider>
      );
  }
}
