/** Gives the focus to the first field that is wrong, once that is shown: of the form that has the focus, else of any. */
export const focusWrong = () => void requestAnimationFrame(() => (document.activeElement?.closest("main form") ?? document).querySelector<HTMLElement>('main form [aria-invalid="true"]')?.focus());
