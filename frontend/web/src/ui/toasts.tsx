// Failures without a field. They stay until dismissed.
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useRef, useState } from "preact/hooks";
import type { Failure } from "../api/failure";
import { Icon } from "./icon";
import { RequestId } from "./request_id";
import { messages } from "./messages";

const kMax = 3;

interface Toast {
  readonly id: number;
  readonly title: string;
  readonly failure: Failure;
}

// A second failure with the same title replaces the first. Without a failure
// the toast is removed.
type Report = (title: string, failure: Failure | undefined) => void;

const ReportContext = createContext<Report>(() => {});

export function useReport(): Report {
  return useContext(ReportContext);
}

export function ToastProvider(props: { children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const report = useCallback<Report>((title, failure) => {
    const id = nextId.current++;
    setToasts((old) => {
      const others = old.filter((toast) => toast.title !== title);
      if (!failure) return others;
      return [...others, { id, title, failure }].slice(-kMax);
    });
  }, []);
  const dismiss = (id: number) => {
    setToasts((old) => old.filter((toast) => toast.id !== id));
  };
  return (
    <ReportContext.Provider value={report}>
      {props.children}
      <div class="toasts" role="region" aria-label={messages.errors}>
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
        ))}
      </div>
    </ReportContext.Provider>
  );
}

function ToastCard(props: { toast: Toast; dismiss(id: number): void }) {
  const { id, title, failure } = props.toast;
  return (
    <div class="toast" role="alert" data-testid="error-toast">
      <Icon name="alert" />
      <div>
        <p class="toast-title">{title}</p>
        <p class="sentence">{failure.sentence}</p>
        <RequestId id={failure.requestId} />
      </div>
      <button
        class="icon-button"
        type="button"
        aria-label={messages.dismiss}
        onClick={() => props.dismiss(id)}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
