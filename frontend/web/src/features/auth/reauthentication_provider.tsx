// The reauthentication dialog, shared by all operations that need it.
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { msOf } from "../../lib/format/moment";
import { ReauthenticationContext } from "../../session/reauthentication_context";
import { ReauthenticationDialog } from "./reauthentication_dialog";
import { ReauthenticationGate } from "../../session/reauthentication_gate";
import { useSession } from "../../session/session_context";

type Answer = (proved: boolean) => void;

export function ReauthenticationProvider(props: {
  children: ComponentChildren;
}) {
  const { session } = useSession();
  const [answer, setAnswer] = useState<Answer>();
  const reauthenticatedUntil = useRef(0);
  reauthenticatedUntil.current = msOf(session.reauthenticatedUntil) ?? 0;

  const pass = useMemo(() => {
    const gate = new ReauthenticationGate(
      () => Date.now() < reauthenticatedUntil.current,
      () => new Promise<boolean>((done) => setAnswer(() => done)),
    );
    return <T,>(operation: () => Promise<T>) => gate.pass(operation);
  }, []);

  const close = (proved: boolean) => {
    answer?.(proved);
    setAnswer(undefined);
  };
  return (
    <ReauthenticationContext.Provider value={pass}>
      {props.children}
      {answer && <ReauthenticationDialog close={close} />}
    </ReauthenticationContext.Provider>
  );
}
