/** The project's name and logo. */
export function Brand({ href }: { href?: string }) {
  const drawn = (
    <>
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r="14" />
        <path d="M16 2a14 14 0 0 1 0 28 9 14 0 0 0 0-28z" />
      </svg>
      Obverse
    </>
  );
  return <p class="brand">{href === undefined ? drawn : <a href={href}>{drawn}</a>}</p>;
}
