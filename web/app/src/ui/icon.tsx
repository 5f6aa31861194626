/** Line drawings of 24 by 24, for the bar of a phone; a word stands below each. */

const paths = {
  wallet: "M3 7h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 0V6a2 2 0 0 1 2-2h11v3M17 13h.01",
  receive: "M12 4v12m0 0l-5-5m5 5l5-5M4 20h16",
  send: "M12 16V4m0 0L7 9m5-5l5 5M4 20h16",
  add: "M12 5v14M5 12h14",
  more: "M5 12h.01M12 12h.01M19 12h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path class={name} d={paths[name]} />
    </svg>
  );
}
