/** Whether what is sent there can be changed on its way. */
const isOpen = (origin: string) => origin.startsWith("http:") && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin);

/** Who asks, as the browser says. */
export function Site({ origin, asks }: { origin: string; asks: string }) {
  return (
    <div class="site">
      <p>
        <strong translate={false}>{origin}</strong> {asks}
      </p>
      {isOpen(origin) && <p>This site is not encrypted: anyone on the network can change what it asks.</p>}
    </div>
  );
}
