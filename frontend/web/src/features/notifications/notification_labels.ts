// Labels for notifications and their delivery.
import {
  Channel,
  type Delivery,
  DeliveryState,
  type Notification,
  NotificationKind,
} from "#proto/notification";
import { hrefOf, jobHref, nodeHref } from "../../routes/route";
import type { IconName } from "../../ui/icon";
import { projectHref } from "../projects/project_href";
import { messages } from "#messages/notifications";

interface KindLabel {
  readonly text: string; // label in the settings
  readonly icon: IconName;
}

const kKinds: Record<NotificationKind, KindLabel> = {
  [NotificationKind.UNSPECIFIED]: { text: messages.kindOther, icon: "bell" },
  [NotificationKind.JOB_STARTED]: {
    text: messages.kindJobStarted,
    icon: "play",
  },
  [NotificationKind.JOB_ENDS_SOON]: {
    text: messages.kindJobEndsSoon,
    icon: "clock",
  },
  [NotificationKind.JOB_ENDED]: { text: messages.kindJobEnded, icon: "check" },
  [NotificationKind.JOB_FAILED]: {
    text: messages.kindJobFailed,
    icon: "alert",
  },
  [NotificationKind.JOB_IDLE]: {
    text: messages.kindJobIdle,
    icon: "moon",
  },
  [NotificationKind.PROJECT]: { text: messages.kindProject, icon: "people" },
  [NotificationKind.RESERVATION]: {
    text: messages.kindReservation,
    icon: "calendar",
  },
  [NotificationKind.QUOTA]: { text: messages.kindQuota, icon: "chart" },
  [NotificationKind.NODE]: { text: messages.kindNode, icon: "gauge" },
  [NotificationKind.ACCOUNT]: { text: messages.kindAccount, icon: "shield" },
  [NotificationKind.TEST]: { text: messages.kindTest, icon: "bell" },
};

export function kindLabels(kind: NotificationKind): KindLabel {
  return kKinds[kind] ?? kKinds[NotificationKind.UNSPECIFIED];
}

// The page of what the notification is about.
export function subjectHref({ kind, subject }: Notification): string {
  switch (kind) {
    case NotificationKind.JOB_STARTED:
    case NotificationKind.JOB_ENDS_SOON:
    case NotificationKind.JOB_ENDED:
    case NotificationKind.JOB_FAILED:
    case NotificationKind.JOB_IDLE:
      return subject ? jobHref(subject) : hrefOf("dashboard");
    case NotificationKind.PROJECT:
      return subject ? projectHref(subject) : hrefOf("projects");
    case NotificationKind.RESERVATION:
      return hrefOf("reservations");
    case NotificationKind.QUOTA:
      return hrefOf("limits");
    case NotificationKind.NODE:
      return subject ? nodeHref(subject) : hrefOf("nodes");
    case NotificationKind.ACCOUNT:
      return hrefOf("security");
    default:
      return hrefOf("notifications");
  }
}

export function channelName(channel: Channel): string {
  return channel === Channel.MAIL
    ? messages.channelEmail
    : messages.channelWebhook;
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
      return { text: messages.deliverySent({ channel: name }), tone: "good" };
    case DeliveryState.GIVEN_UP:
      return {
        text: messages.deliveryNotSent({ channel: name, problem }),
        tone: "bad",
      };
    default:
      return problem
        ? {
            text: messages.deliveryRetrying({ channel: name, problem }),
            tone: "wait",
          }
        : { text: messages.deliverySending({ channel: name }), tone: "wait" };
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
  return messages.bellLabel({ unread });
}

// The settings with one kind toggled.
export function toggled<T>(chosen: readonly T[], one: T): T[] {
  const without = chosen.filter((each) => each !== one);
  return without.length < chosen.length ? without : [...chosen, one];
}
