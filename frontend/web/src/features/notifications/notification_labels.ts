// Labels for notifications and their delivery.
import {
  Channel,
  type Delivery,
  DeliveryState,
  type Notification,
  NotificationKind,
} from "#proto/notification";
import type { IconName } from "../../ui/icon";

interface KindLabel {
  readonly text: string; // label in the settings
  readonly icon: IconName;
}

const kKinds: Record<NotificationKind, KindLabel> = {
  [NotificationKind.UNSPECIFIED]: { text: "Other", icon: "bell" },
  [NotificationKind.JOB_STARTED]: { text: "Job started", icon: "play" },
  [NotificationKind.JOB_ENDS_SOON]: {
    text: "Job ends soon",
    icon: "clock",
  },
  [NotificationKind.JOB_ENDED]: { text: "Job completed", icon: "check" },
  [NotificationKind.JOB_FAILED]: { text: "Job failed", icon: "alert" },
  [NotificationKind.JOB_IDLE]: {
    text: "Job is idle and will be stopped",
    icon: "moon",
  },
  [NotificationKind.PROJECT]: { text: "Projects", icon: "people" },
  [NotificationKind.RESERVATION]: {
    text: "Reservations",
    icon: "clock",
  },
  [NotificationKind.QUOTA]: { text: "Limits and quotas", icon: "chart" },
  [NotificationKind.ACCOUNT]: { text: "Account", icon: "shield" },
  [NotificationKind.TEST]: { text: "Test", icon: "bell" },
};

export function kindLabels(kind: NotificationKind): KindLabel {
  return kKinds[kind] ?? kKinds[NotificationKind.UNSPECIFIED];
}

export function channelName(channel: Channel): string {
  return channel === Channel.MAIL ? "E-mail" : "Webhook";
}

// Account notifications are always sent by email.
export function isFixed(channel: Channel, kind: NotificationKind): boolean {
  return channel === Channel.MAIL && kind === NotificationKind.ACCOUNT;
}

export interface DeliveryLabel {
  readonly text: string;
  readonly tone: "good" | "wait" | "bad";
}

export function deliveryLabel(delivery: Delivery): DeliveryLabel {
  const { state, problem } = delivery;
  const name = channelName(delivery.channel);
  switch (state) {
    case DeliveryState.SENT:
      return { text: `${name}: sent`, tone: "good" };
    case DeliveryState.GIVEN_UP:
      return { text: `${name}: not sent: ${problem}`, tone: "bad" };
    default:
      return problem
        ? { text: `${name}: retrying: ${problem}`, tone: "wait" }
        : { text: `${name}: sending`, tone: "wait" };
  }
}

// Notifications shown above every page until they are read.
export function urgentOf(
  notifications: readonly Notification[],
): readonly Notification[] {
  return notifications.filter(
    ({ kind, read }) => kind === NotificationKind.ACCOUNT && !read,
  );
}

// Changes with the newest notification about shared objects. Empty: none.
export function newestShared(notifications: readonly Notification[]): string {
  const newest = notifications.find(
    ({ kind }) =>
      kind === NotificationKind.PROJECT ||
      kind === NotificationKind.RESERVATION,
  );
  return newest ? String(newest.id) : "";
}

export function bellLabel(unread: number): string {
  if (unread === 0) return "Notifications";
  return `Notifications: ${unread} unread`;
}

// The settings with one kind toggled.
export function toggled<T>(chosen: readonly T[], one: T): T[] {
  const without = chosen.filter((each) => each !== one);
  return without.length < chosen.length ? without : [...chosen, one];
}
