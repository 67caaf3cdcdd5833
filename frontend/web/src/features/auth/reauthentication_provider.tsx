// The one dialog that asks for a second factor again, whatever act needs it.
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { msOf } from "../../lib/format/moment";
import { FreshFactorContext } from "../../session/reauthentication_context";
import { FreshFactorDialog } from "./reauthentication_dialog";
import { FreshFactorGate } from "../../session/reauthentication_gate";
import { useSession } from "../../session/session_context";

type Answer = (proved: boolean) => void;

export function FreshFactorProvider(props: { children: ComponentChildren }) {
  const { session } = useSession();
  const [answer, setAnswer] = useState<Answer>();
  const freshUntil = useRef(0);
  freshUntil.current = msOf(session.freshUntil) ?? 0;

  const pass = useMemo(() => {
    const gate = new FreshFactorGate(
      () => Date.now() < freshUntil.current,
      () => new Promise<boolean>((done) => setAnswer(() => done)),
    );
    return <T,>(act: () => Promise<T>) => gate.pass(act);
  }, []);

  const close = (proved: boolean) => {
    answer?.(proved);
    setAnswer(undefined);
  };
  return (
    <FreshFactorContext.Provider value={pass}>
      {props.children}
      {answer && <FreshFactorDialog close={close} />}
    </FreshFactorContext.Provider>
  );
}
