import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test, vi } from "vitest";
import { NotificationSchema } from "#proto/notification";
import {
  arrivedSince,
  browserState,
  turnOff,
  turnOn,
} from "../../../src/features/notifications/browser_notifications";

afterEach(() => vi.unstubAllGlobals());

function fakeBrowser(permission: NotificationPermission) {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal("Notification", {
    permission,
    requestPermission: () => Promise.resolve(permission),
  });
}

const list = [5n, 4n, 3n, 2n, 1n].map((id) =>
  create(NotificationSchema, { id, read: id === 4n }),
);

test("browser notifications: a browser without them says so", async () => {
  vi.stubGlobal("Notification", undefined);
  expect(browserState()).toBe("unsupported");
  expect(await turnOn()).toBe("unsupported");
});

test("browser notifications: a refusal of the person leaves them off", async () => {
  fakeBrowser("denied");
  expect(await turnOn()).toBe("denied");
});

test("browser notifications: a permission alone does not turn them on", async () => {
  fakeBrowser("granted");
  expect(browserState()).toBe("off");
  expect(await turnOn()).toBe("on");
  expect(turnOff()).toBe("off");
});

test("browser notifications: what was read or known is not shown again", () => {
  expect(arrivedSince(5n, list)).toEqual([]);
  expect(arrivedSince(2n, list).map(({ id }) => id)).toEqual([3n, 5n]);
});

test("browser notifications: at most three appear at once", () => {
  expect(arrivedSince(0n, list).map(({ id }) => id)).toEqual([2n, 3n, 5n]);
});
