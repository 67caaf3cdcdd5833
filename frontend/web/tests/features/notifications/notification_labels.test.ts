import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  Channel,
  DeliverySchema,
  DeliveryState,
  NotificationKind,
  NotificationSchema,
} from "#proto/notification";
import {
  bellLabel,
  deliveryLabel,
  isFixed,
  kindLabels,
  newestShared,
  subjectHref,
  toggled,
  urgentOf,
} from "../../../src/features/notifications/notification_labels";
import {
  eventsOf,
  textOf,
} from "../../../src/features/start/form/notify_events";

test("an unknown kind has a label", () => {
  expect(kindLabels(99 as NotificationKind).text).toBe("Other");
});

test("failed and retried deliveries show the reason", () => {
  const say = (state: DeliveryState, problem = "") =>
    deliveryLabel(
      create(DeliverySchema, { channel: Channel.MAIL, state, problem }),
    );
  expect(say(DeliveryState.GIVEN_UP, "no address")).toEqual({
    text: "E-mail: not sent: no address",
    tone: "bad",
  });
  expect(say(DeliveryState.WAITING, "away").text).toBe(
    "E-mail: retrying: away",
  );
  expect(say(DeliveryState.WAITING).tone).toBe("wait");
  expect(say(DeliveryState.SENT).text).toBe("E-mail: sent");
});

test("only unread account notifications are urgent", () => {
  const one = (kind: NotificationKind, read: boolean) =>
    create(NotificationSchema, { kind, read });
  const list = [
    one(NotificationKind.ACCOUNT, true),
    one(NotificationKind.JOB_FAILED, false),
    one(NotificationKind.ACCOUNT, false),
  ];
  expect(urgentOf(list)).toEqual([list[2]]);
});

test("only notifications about shared objects trigger a reload", () => {
  const one = (id: bigint, kind: NotificationKind) =>
    create(NotificationSchema, { id, kind });
  const list = [
    one(9n, NotificationKind.JOB_FAILED),
    one(8n, NotificationKind.PROJECT),
    one(7n, NotificationKind.RESERVATION),
  ];
  expect(newestShared(list)).toBe("8");
  expect(newestShared(list.slice(2))).toBe("7");
  expect(newestShared(list.slice(0, 1))).toBe("");
});

test("only account notifications by email are fixed", () => {
  const { MAIL, WEBHOOK } = Channel;
  expect(isFixed(MAIL, NotificationKind.ACCOUNT)).toBe(true);
  expect(isFixed(WEBHOOK, NotificationKind.ACCOUNT)).toBe(false);
  expect(isFixed(MAIL, NotificationKind.JOB_FAILED)).toBe(false);
});

test("the bell shows the number of unread notifications", () => {
  expect(bellLabel(0)).toBe("Notifications");
  expect(bellLabel(3)).toBe("Notifications: 3 unread");
});

test("a setting is toggled and restored", () => {
  expect(toggled([1, 2], 3)).toEqual([1, 2, 3]);
  expect(toggled([1, 2, 3], 2)).toEqual([1, 3]);
});

test("the form stores events as text and drops invalid ones", () => {
  expect(eventsOf("")).toEqual([]);
  expect(eventsOf("4,1")).toEqual([4, 1]);
  expect(eventsOf("0,7,x,2,")).toEqual([2]);
  expect(textOf([4, 1])).toBe("1,4");
});

test("a notification leads to what it is about", () => {
  const hrefOfKind = (kind: NotificationKind, subject = "") =>
    subjectHref(create(NotificationSchema, { kind, subject }));
  expect(hrefOfKind(NotificationKind.JOB_FAILED, "abc")).toBe("#/jobs/abc");
  expect(hrefOfKind(NotificationKind.JOB_FAILED)).toBe("#/");
  expect(hrefOfKind(NotificationKind.PROJECT, "p1")).toBe(
    "#/projects?project=p1",
  );
  expect(hrefOfKind(NotificationKind.ACCOUNT)).toBe("#/account/security");
  expect(hrefOfKind(99 as NotificationKind)).toBe("#/account/notifications");
});
