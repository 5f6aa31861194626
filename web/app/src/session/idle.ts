/**
 * The wallet locks itself after a time without key or pointer input in any tab. The time of the last input is in localStorage, so that tabs
 * share it and a closed browser counts as idle.
 */

import { signal } from "@preact/signals";
import { recall, remember } from "../memory.ts";

/** The choices in minutes; 0: never while a tab is open. */
export const choices = [1, 5, 10, 30, 60, 0] as const;

const stored = Number(recall("idle") ?? NaN);

/** Minutes until the wallet locks itself; 0: never. */
export const idleMinutes = signal<number>(choices.some((minutes) => minutes === stored) ? stored : 10);

export function setIdleMinutes(minutes: number) {
  idleMinutes.value = minutes;
  remember("idle", String(minutes));
  rearm();
}

const THROTTLE = 5000; // ms in which several inputs count as one
let timer: ReturnType<typeof setTimeout> | undefined;
let touched = 0;
let expire = () => {};

/** Milliseconds since the last input in any tab. An input in the future was recorded before the clock was set back. */
const since = () => Math.min(...[touched, Number(recall("seen") ?? 0)].map((at) => Math.abs(Date.now() - at)));
const left = () => idleMinutes.peek() * 60_000 - since();

/** Reports whether the idle time is over. */
export const isOver = (): boolean => idleMinutes.peek() > 0 && left() <= 0;

/** Records user input. */
export function touch() {
  const now = Date.now();
  if (now - touched > THROTTLE || now < touched) {
    touched = now;
    remember("seen", String(now));
    rearm();
  }
}

function rearm() {
  clearTimeout(timer);
  if (idleMinutes.peek() > 0) {
    timer = setTimeout(check, Math.max(0, left()));
  }
}

function check() {
  if (isOver()) {
    expire();
  } else {
    rearm();
  }
}

/**
 * Starts the idle timer.
 * @param over called when the idle time is over
 */
export function watch(over: () => void) {
  expire = over;
  for (const event of ["pointerdown", "keydown", "wheel", "touchstart"]) {
    addEventListener(event, touch, { capture: true, passive: true });
  }
  document.addEventListener("visibilitychange", check); // a computer that slept ran no timers
}
