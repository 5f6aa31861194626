/** Messages between the tabs of this page. */

export type Message = "opened" | "locked" | "left" | "stop" | "replaced" | "wiping" | "wiped" | "sites" | "profile";

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("obverse-wallet");

export function tell(message: Message) {
  channel?.postMessage(message);
}

export function hear(listeners: Partial<Record<Message, () => void>>) {
  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => listeners[data]?.());
}
