// What people are told, and what became of it, in words.
import {
  Channel,
  type Delivery,
  DeliveryState,
  type Notification,
  NotificationKind,
} from "#proto/notification";
import type { IconName } from "../../ui/icon";

interface KindLabel {
  readonly text: string; // of a line in the settings
  readonly icon: IconName;
}

const kKinds: Record<NotificationKind, KindLabel> = {
  [NotificationKind.UNSPECIFIED]: { text: "Something else", icon: "bell" },
  [NotificationKind.JOB_STARTED]: { text: "A job has started", icon: "play" },
  [NotificationKind.JOB_ENDS_SOON]: {
    text: "The time of a job is nearly over",
    icon: "clock",
  },
  [NotificationKind.JOB_ENDED]: { text: "A job has ended well", icon: "check" },
  [NotificationKind.JOB_FAILED]: { text: "A job has failed", icon: "alert" },
  [NotificationKind.JOB_IDLE]: {
    text: "A job is not used and will be stopped",
    icon: "moon",
  },
  [NotificationKind.PROJECT]: { text: "A project of yours", icon: "people" },
  [NotificationKind.RESERVATION]: {
    text: "A reservation of yours",
    icon: "clock",
  },
  [NotificationKind.QUOTA]: { text: "Limits and quotas", icon: "chart" },
  [NotificationKind.ACCOUNT]: { text: "Your account", icon: "shield" },
  [NotificationKind.TEST]: { text: "A test", icon: "bell" },
};

export function kindLabels(kind: NotificationKind): KindLabel {
  return kKinds[kind] ?? kKinds[NotificationKind.UNSPECIFIED];
}

export function channelName(channel: Channel): string {
  return channel === Channel.MAIL ? "E-mail" : "Webhook";
}

// By e-mail an account's news always comes: the switch would lie.
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
        ? { text: `${name}: is tried again: ${problem}`, tone: "wait" }
        : { text: `${name}: is being sent`, tone: "wait" };
  }
}

// What stands above every page until it was read.
export function urgentOf(
  notifications: readonly Notification[],
): readonly Notification[] {
  return notifications.filter(
    ({ kind, read }) => kind === NotificationKind.ACCOUNT && !read,
  );
}

// Changes when there is another newest one that is about what people share.
// Empty: there is none.
export function newsOf(notifications: readonly Notification[]): string {
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

// The switch of one kind, turned.
export function toggled<T>(chosen: readonly T[], one: T): T[] {
  const without = chosen.filter((each) => each !== one);
  return without.length < chosen.length ? without : [...chosen, one];
}
