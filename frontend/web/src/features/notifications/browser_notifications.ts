// Notifications of the browser while the portal is open in a tab that is not in
// front. Off until the person turns them on, in each browser.
import { useEffect, useRef } from "preact/hooks";
import type { Notification } from "#proto/notification";
import { branding } from "../../lib/branding";
import { kindLabels, subjectHref } from "./notification_labels";

// "denied": the browser does not let the portal ask.
export type BrowserState = "unsupported" | "denied" | "off" | "on";

const kStored = "carme-browser-notifications";
const kMaxAtOnce = 3;

export function browserState(): BrowserState {
  const { Notification: native } = globalThis;
  if (!native) return "unsupported";
  if (native.permission === "denied") return "denied";
  return native.permission === "granted" && isWanted() ? "on" : "off";
}

// Asks the person if the browser has not done so yet.
export async function turnOn(): Promise<BrowserState> {
  if (!globalThis.Notification) return "unsupported";
  const permission = await globalThis.Notification.requestPermission();
  if (permission === "granted") store("on");
  return browserState();
}

export function turnOff(): BrowserState {
  store("off");
  return browserState();
}

// What arrived since `known` and is not read, the oldest first.
export function arrivedSince(
  known: bigint,
  notifications: readonly Notification[],
): Notification[] {
  return notifications
    .filter(({ id, read }) => id > known && !read)
    .slice(0, kMaxAtOnce)
    .reverse();
}

// Shows those that arrive after the first list.
export function useBrowserNotifications(
  notifications: readonly Notification[] | undefined,
): void {
  const known = useRef<bigint>();
  useEffect(() => {
    if (!notifications) return;
    const newest = notifications[0]?.id ?? 0n;
    const before = known.current;
    known.current = before !== undefined && before > newest ? before : newest;
    if (before === undefined || isInFront() || browserState() !== "on") return;
    arrivedSince(before, notifications).forEach(show);
  }, [notifications]);
}

function show(notification: Notification): void {
  const { id, kind, text } = notification;
  try {
    const shown = new globalThis.Notification(kindLabels(kind).text, {
      body: text,
      // The same in several tabs is shown once.
      tag: `carme-${id}`,
      icon: branding.logo || "/icon-192.png",
    });
    shown.onclick = () => {
      window.focus();
      location.hash = subjectHref(notification);
      shown.close();
    };
  } catch {
    // Some browsers of phones show notifications of service workers only.
  }
}

function isInFront(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

function isWanted(): boolean {
  try {
    return localStorage.getItem(kStored) === "on";
  } catch {
    return false; // storage is disabled in this browser
  }
}

function store(value: "on" | "off"): void {
  try {
    localStorage.setItem(kStored, value);
  } catch {
    // Then they stay off.
  }
}
