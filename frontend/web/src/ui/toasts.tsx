// Messages that belong to no field: failures, which stay until dismissed, and
// completed actions, which disappear by themselves.
import { type ComponentChildren, createContext } from "preact";
import {
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "preact/hooks";
import type { Failure } from "../api/failure";
import { Icon } from "./icon";
import { RequestId } from "./request_id";
import { messages } from "#messages/ui";

const kMax = 3;
const kSuccessMs = 5000;

interface Toast {
  readonly id: number;
  readonly title: string;
  readonly failure?: Failure; // absent: a completed action
}

// A second failure with the same title replaces the first. Without a failure
// the toast is removed.
type Report = (title: string, failure: Failure | undefined) => void;

interface Toasts {
  readonly report: Report;
  readonly confirm: (title: string) => void;
}

const ToastsContext = createContext<Toasts>({
  report: () => {},
  confirm: () => {},
});

export function useReport(): Report {
  return useContext(ToastsContext).report;
}

// Shows for some seconds that an action is completed.
export function useConfirmation(): (title: string) => void {
  return useContext(ToastsContext).confirm;
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
  const confirm = useCallback((title: string) => {
    const id = nextId.current++;
    setToasts((old) => [...old, { id, title }].slice(-kMax));
  }, []);
  const dismiss = useCallback((id: number) => {
    setToasts((old) => old.filter((toast) => toast.id !== id));
  }, []);
  // Above a dialog that is open, in browsers that know popovers.
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (!element || typeof element.showPopover !== "function") return;
    if (element.matches(":popover-open")) element.hidePopover();
    if (toasts.length > 0) element.showPopover();
  }, [toasts]);
  const value = useMemo(() => ({ report, confirm }), [report, confirm]);
  return (
    <ToastsContext.Provider value={value}>
      {props.children}
      <div
        ref={container}
        class="toasts"
        role="region"
        aria-label={messages.messages}
        popover="manual"
      >
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} dismiss={dismiss} />
        ))}
      </div>
    </ToastsContext.Provider>
  );
}

function ToastCard(props: { toast: Toast; dismiss(id: number): void }) {
  const { dismiss } = props;
  const { id, title, failure } = props.toast;
  const passes = failure === undefined;
  useEffect(() => {
    if (!passes) return;
    const timer = setTimeout(() => dismiss(id), kSuccessMs);
    return () => clearTimeout(timer);
  }, [id, passes, dismiss]);
  return (
    <div
      class={failure ? "toast" : "toast toast-good"}
      role={failure ? "alert" : "status"}
      data-testid={failure ? "error-toast" : "success-toast"}
    >
      <Icon name={failure ? "alert" : "check"} />
      <div>
        <p class="toast-title">{title}</p>
        {failure && (
          <>
            <p class="sentence">{failure.sentence}</p>
            <RequestId id={failure.requestId} />
          </>
        )}
      </div>
      <button
        class="icon-button"
        type="button"
        aria-label={messages.dismiss}
        onClick={() => dismiss(id)}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
