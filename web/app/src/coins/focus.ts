/** Gives the focus to the first field that is wrong, once that is shown. */
export const focusWrong = () => void requestAnimationFrame(() => document.querySelector<HTMLElement>('main form [aria-invalid="true"]')?.focus());
